#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares charges and surviving limits with what is known about them.

Usage: Benchmarks/container-bars.py FETCHBENCH [charges | needs | modes | large | cost | growth]...

charges: the charged peak of commands that write a file, allocate, fill a file in memory and fill sockets, beside a poller of
         the same control group, which knows nothing of fetchbench but the group's name.
needs:   the smallest limit of a C program that needs 20, 50, 100 and 400 MiB, ten searches each.
modes:   the order of the smallest limits of data, download, stream and raw, beside that of their anonymous peaks.
large:   download and stream of 1 GiB, which have to survive with less than 48 MiB.
cost:    the time of a trial with a control group of its own, beside one in a mount namespace where none can be made (root).
growth:  the growth of modes with and without a control group, in the same way.

Exit status: 0 every bar is met; 1 one is not; 2 nothing could be measured.
"""
import csv
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20
READ_ONLY = "mount -o remount,bind,ro"
PLANT = r"""
#include <stdlib.h>
#include <sys/mman.h>
int main(int count, char **words) {
    size_t size = (size_t)atol(words[1]) << 20;
    if (size == 0) return 0;
    volatile char *memory = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t place = 0; place < size; place += 4096) memory[place] = 1;
    for (int round = 0; round < 3; round++) {
        for (size_t place = 0; place < size; place += 4096) if (memory[place] != 1) return 1;
    }
    return 0;
}
"""
HOLD = "import time\n{work}\ntime.sleep(0.3)\n"
TCP = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
kept, left = [], 20 << 20
while left > 0:
    sender = socket.create_connection(listener.getsockname())
    kept += [sender, listener.accept()[0]]
    sender.setblocking(False)
    try:
        while left > 0: left -= sender.send(bytes(65536))
    except BlockingIOError: pass
"""
UNIX = """
import socket
kept, left = [], 20 << 20
while left > 0:
    sender, receiver = socket.socketpair()
    kept += [sender, receiver]
    sender.setblocking(False)
    try:
        while left > 0: left -= sender.send(bytes(65536))
    except BlockingIOError: pass
"""


def fetchbench(program, *words, prefix=(), check=True):
    ended = subprocess.run([*prefix, program, *map(str, words)], capture_output=True, text=True, check=False)
    if check and ended.returncode != 0:
        sys.exit(f"container-bars: {' '.join(map(str, words))} ended with {ended.returncode}: {ended.stderr.strip()}")
    return ended.stdout


def own_group():
    """The folder of this process's memory group, and its version."""
    lines = [line.split(":", 2) for line in open("/proc/self/cgroup").read().splitlines()]
    mounts = [line.split() for line in open("/proc/self/mountinfo")]
    first = [path for _, names, path in lines if "memory" in names.split(",")]
    kind = "cgroup" if first else "cgroup2"
    for mount in mounts:
        dash = mount.index("-")
        if mount[dash + 1] == kind and (kind == "cgroup2" or "memory" in mount[dash + 3].split(",")):
            path = first[0] if first else next(path for number, _, path in lines if number == "0")
            return os.path.normpath(mount[4] + "/" + os.path.relpath(path, mount[3])), 1 if first else 2
    sys.exit("container-bars: no memory group is mounted")


class Poller(threading.Thread):
    """Reads the charge of every trial's group as often as it can; remembers the highest."""

    def __init__(self):
        super().__init__(daemon=True)
        self.folder, self.version = own_group()
        self.highest = {}
        self.ended = False

    def charge(self, folder):
        names = ["memory.usage_in_bytes", "memory.kmem.tcp.usage_in_bytes"] if self.version == 1 else ["memory.current"]
        return sum(int(open(f"{folder}/{name}").read()) for name in names if os.path.exists(f"{folder}/{name}"))

    def run(self):
        while not self.ended:
            for session in [name for name in os.listdir(self.folder) if name.startswith("memprobe-")]:
                try:
                    for trial in [name for name in os.listdir(f"{self.folder}/{session}") if name[1:].isdigit()]:
                        key = f"{session}/{trial}"
                        self.highest[key] = max(self.highest.get(key, 0), self.charge(f"{self.folder}/{key}"))
                except (FileNotFoundError, OSError):
                    pass
            time.sleep(0.0005)


def charges(program, folder):
    python = "/usr/bin/python3"
    cases = []
    for name, work, part in [
        ("file of 100 MiB", "file = open('written', 'wb')\nfor _ in range(100): file.write(bytes(1 << 20))\nfile.flush()", "page_cache"),
        ("allocation of 100 MiB", "held = bytearray(100 << 20)", "anonymous"),
        ("50 MiB in tmpfs", "import os, tempfile\nfile = tempfile.TemporaryFile(dir='/dev/shm')\nfor _ in range(50): file.write(bytes(1 << 20))\nfile.flush()", "shared_memory"),
        ("20 MiB in TCP sockets", TCP, "sockets"), ("20 MiB in Unix sockets", UNIX, "kernel"),
    ]:
        path = f"{folder}/{name.replace(' ', '-')}.py"
        with open(path, "w", encoding="utf-8") as file:
            file.write(HOLD.format(work=work))
        cases.append((name, f"{python} {path}", part))
    good = True
    for name, command, part in cases:
        poller = Poller()
        poller.start()
        text = fetchbench(program, "exec", command, "--trials", 3, "--format", "csv")
        poller.ended = True
        poller.join()
        rows = list(csv.DictReader(io.StringIO(text)))
        seen = sorted(poller.highest.values())
        told = sorted(int(row["charged_peak_bytes"]) for row in rows)
        size = {"page_cache": 100, "anonymous": 100, "shared_memory": 50}.get(part, 20) * MIB
        parts = {key: statistics.median(int(row[f"charged_{key}_bytes"] or 0) for row in rows)
                 for key in ("anonymous", "page_cache", "shared_memory", "sockets", "kernel")}
        largest = max(parts, key=parts.get)
        gap = max(abs(mine - other) for mine, other in zip(told, seen)) if len(told) == len(seen) else size
        is_met = gap <= max(0.01 * size, 512 << 10) and largest == part and parts[part] >= 0.99 * size
        good = good and is_met
        print(f"{name}: charged {', '.join(f'{value / MIB:.2f}' for value in told)} MiB, poller "
              f"{', '.join(f'{value / MIB:.2f}' for value in seen)}, apart {gap >> 10} KiB; {part} {parts[part] / MIB:.2f} MiB"
              f"{'' if is_met else '  MISSED'}")
    return good


def survive(program, *words, prefix=()):
    return json.loads(fetchbench(program, "survive", *words, "--format", "json", "--quiet", prefix=prefix))


def edge(case):
    """The smallest surviving limit and the highest failed one, in MiB."""
    return case["survives_bytes"] / MIB, case.get("failed_bytes", 0) / MIB


def needs(program, folder):
    source, plant = f"{folder}/plant.c", f"{folder}/plant"
    with open(source, "w", encoding="utf-8") as file:
        file.write(PLANT)
    subprocess.run(["cc", "-O1", "-o", plant, source], check=True)
    floor = max(trial["peak"]["total_bytes"] for trial in survive(program, f"{plant} 0")["cases"][0]["unlimited"]["trials"]) / MIB
    print(f"floor: charged {floor:.2f} MiB")
    good = True
    for need in (20, 50, 100, 400):
        found = [edge(survive(program, f"{plant} {need}")["cases"][0])[0] for _ in range(10)]
        # A page of entries for every 512 pages that are touched: 0.8 MiB of 400.
        whole = need + need / 512 + floor
        met = sum(abs(limit - whole) <= 1 for limit in found)
        good = good and met == 10
        print(f"need of {need} MiB, {whole:.2f} with page tables and the floor: survives with {sorted(set(found))} MiB, "
              f"{met} of 10 within 1 MiB{'' if met == 10 else '  MISSED'}")
    return good


def modes(program, _):
    table = survive(program, "--mode", "data,download,stream,raw", "--asset", "64MiB", "--render", "none", "--allocator", "glibc")
    limits = {case["case"]["mode"]: edge(case) for case in table["cases"]}
    anonymous = {case["case"]["mode"]: statistics.median(trial["charge"]["anonymous_bytes"] for trial in case["unlimited"]["trials"]) / MIB
                 for case in table["cases"]}
    by_limit, by_anonymous = sorted(limits, key=limits.get), sorted(anonymous, key=anonymous.get)
    for mode in by_limit:
        print(f"{mode}: survives with {limits[mode][0]:.0f} MiB, fails with {limits[mode][1]:.0f}; anonymous {anonymous[mode]:.1f} MiB")
    print(f"order by limit {' < '.join(by_limit)}, by anonymous memory {' < '.join(by_anonymous)}"
          f"{'' if by_limit == by_anonymous else '  MISSED'}")
    return by_limit == by_anonymous


def large(program, _):
    # At the usual pace: version 1 of control groups kills what writes faster than the drive.
    table = survive(program, "--mode", "download,stream", "--asset", "1GiB", "--render", "none", "--allocator", "glibc",
                    "--trials", 3)
    limits = {case["case"]["mode"]: edge(case) for case in table["cases"]}
    for mode, (lives, failed) in limits.items():
        print(f"{mode} of 1 GiB: survives with {lives:.0f} MiB, fails with {failed:.0f}{'' if lives < 48 else '  MISSED'}")
    return all(lives < 48 for lives, _ in limits.values())


def without_groups():
    folder, _ = own_group()
    mount = folder
    while not os.path.ismount(mount):
        mount = os.path.dirname(mount)
    return ["unshare", "-m", "sh", "-c", f'{READ_ONLY} "{mount}" && exec "$@"', "sh"]


def cost(program, folder):
    """Pairs of sessions of many trials, so that starting the harness does not count."""
    trials, differences = 200, []
    for _ in range(8):
        times = {}
        for prefix in ([], without_groups()):
            spent = []
            for count in (10, 10 + trials):
                start = time.monotonic()
                fetchbench(program, "exec", "/bin/true", "--trials", count, "--quiet", prefix=prefix)
                spent.append(time.monotonic() - start)
            times[bool(prefix)] = (spent[1] - spent[0]) / trials * 1000
        differences.append(times[False] - times[True])
        print(f"a trial with a control group: {times[False]:.2f} ms, without: {times[True]:.2f} ms")
    middle = statistics.median(differences)
    print(f"cost of a control group: {middle:.2f} ms for each trial{'' if middle <= 2 else '  MISSED'}")
    return middle <= 2


def growth(program, folder):
    found = {}
    for prefix in ([], without_groups()) * 4:
        results = tempfile.mkdtemp(dir=folder)
        fetchbench(program, "run", "--mode", "data,download,stream,raw", "--asset", "16MiB", "--render", "none", "--allocator",
                   "glibc", "--trials", 10, "--quiet", "--output", results, prefix=prefix)
        with open(f"{results}/{os.listdir(results)[0]}/trials.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            if row["net_peak_growth_bytes"] and (row["charged_peak_bytes"] == "") == bool(prefix):
                found.setdefault((row["mode"], bool(prefix)), []).append(int(row["net_peak_growth_bytes"]))
    good = True
    for mode in ("data", "download", "stream", "raw"):
        with_group, without = (statistics.median(found[mode, key]) for key in (False, True))
        apart = with_group - without
        is_met = abs(apart) <= 64 << 10
        good = good and is_met
        print(f"{mode}: growth with a control group {with_group / MIB:.3f} MiB, without {without / MIB:.3f}, apart "
              f"{apart / 1024:+.0f} KiB{'' if is_met else '  MISSED'}")
    return good


def main():
    checks = {"charges": charges, "needs": needs, "modes": modes, "large": large, "cost": cost, "growth": growth}
    if len(sys.argv) < 2 or not os.access(sys.argv[1], os.X_OK) or set(sys.argv[2:]) - set(checks):
        sys.exit(__doc__)
    program, folder = os.path.abspath(sys.argv[1]), tempfile.mkdtemp(prefix="container-bars-")
    # Commands write into the folder that they are started in.
    os.chdir(folder)
    try:
        good = [checks[name](program, folder) for name in sys.argv[2:] or checks]
    finally:
        shutil.rmtree(folder)
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()

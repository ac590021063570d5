#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the limits that survive finds with those of an independent search, and tries the settings that it prints.

Usage: Benchmarks/survive-bars.py FETCHBENCH [edges | settings | repeats | own | workers | servers | compare]... [--only NAME] [--runs COUNT]

edges:    the smallest limit that ten runs survive, and the smallest from which on they are not slower than runs without one, by
          a search of its own; the need within 1 MiB, the unhurt limit within a tenth, or each between the bounds that
          survive gives: what Go and Node need varies by a tenth from run to run.
settings: each printed setting, in a new control group and with the program's files dropped from the page cache: ten of ten
          survive, and none is hurt.
repeats:  ten searches for each program, each answer within the bounds that the first one gives.
own:      a program whose Nth run fails by itself, for N from 1 to 20: the same limit, status 0, and the failure is counted.
workers:  the joint peak of forked workers that hold 6 × 25 MiB for 20 to 1,000 ms, quiet and beside four busy loops.
servers:  the joint peak of programs with several processes, beside a poller of the control group's own memory: workers of
          Python's multiprocessing, gunicorn, PostgreSQL under pgbench, nginx, and make with eight compilers.
compare:  workers of 25 against 40 MiB, red ten times; and against themselves, never red in twenty.

Needs root, version 1 or 2 of control groups with a memory controller, a C compiler, and for some programs node, java, go and
others, which are left out if they are missing, and said to be. Exit status: 0 every bar is met; 1 one is not; 2 usage.
"""
import argparse
import glob
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20
TOUCH = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char *touched(size_t size) {
    char *memory = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t place = 0; place < size; place += 4096) memory[place] = 1;
    return memory;
}

/* The limit of the control group that this process is in, as runtimes find it. */
static long long limit(void) {
    char line[512], path[1024] = "";
    long long found = 1LL << 62;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *place = strstr(line, ":memory:");
        line[strcspn(line, "\n")] = 0;
        if (place) snprintf(path, sizeof path, "/sys/fs/cgroup/memory%s/memory.limit_in_bytes", place + 8);
        else if (!*path && !strncmp(line, "0::", 3)) snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
    }
    if (file) fclose(file);
    if ((file = fopen(path, "r"))) {
        if (fscanf(file, "%lld", &found) != 1) found = 1LL << 62;
        fclose(file);
    }
    return found;
}

/* Holds so many MiB for so many milliseconds. */
static int hold(long size, long milliseconds) {
    touched(size << 20);
    usleep(milliseconds * 1000);
    return 0;
}

/* Has a cache of 200 MiB if its limit allows it, else of 30 MiB, with which it takes three times as long. */
static int adapt(void) {
    int is_small = limit() < (256LL << 20);
    touched((size_t)(is_small ? 30 : 200) << 20);
    usleep(is_small ? 600000 : 200000);
    return 0;
}

/* Has 30 MiB live and as much garbage as its limit leaves, up to 170 MiB, with 2 ms for each collection; and writes a file. */
static int collect(void) {
    char name[] = "./collect-XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    char *part = touched(1 << 20);
    for (int i = 0; i < 60; i++) {
        if (write(file, part, 1 << 20) < 0) return 5;
        if (i % 4 == 3) fsync(file);
    }
    touched(30 << 20);
    long room = (limit() >> 20) > 400 ? 170 : (long)(limit() >> 20) - 36;
    room = room > 170 ? 170 : room < 1 ? 1 : room;
    for (int done = 0; done < 400; done += room) {
        char *garbage = touched((size_t)room << 20);
        usleep(2000);
        munmap(garbage, (size_t)room << 20);
    }
    return 0;
}

/* Forks workers that hold so many MiB each, all at once for so many milliseconds. */
static int workers(int count, long size, long milliseconds) {
    int ready[2], go[2];
    char byte;
    if (pipe(ready) || pipe(go)) return 4;
    for (int i = 0; i < count; i++) {
        if (fork() == 0) {
            close(go[1]);
            touched((size_t)size << 20);
            if (write(ready[1], "x", 1) < 0 || read(go[0], &byte, 1) < 0) _exit(1);
            _exit(0);
        }
    }
    for (int i = 0; i < count; i++) if (read(ready[0], &byte, 1) < 0) return 4;
    usleep(milliseconds * 1000);
    close(go[1]);
    while (wait(0) > 0) {}
    return 0;
}

int main(int count, char **words) {
    if (count > 3 && !strcmp(words[1], "hold")) return hold(atol(words[2]), atol(words[3]));
    if (count > 1 && !strcmp(words[1], "adapt")) return adapt();
    if (count > 1 && !strcmp(words[1], "collect")) return collect();
    if (count > 4 && !strcmp(words[1], "workers")) return workers(atoi(words[2]), atol(words[3]), atol(words[4]));
    return 64;
}
"""
NODE = "const kept = []; for (let i = 0; i < 300000; i++) kept.push({i, text: 'x' + i}); setTimeout(() => kept.length, 50);\n"
JAVA = """
import java.util.*;
class Kept { public static void main(String[] words) { List<byte[]> kept = new ArrayList<>();
    for (int round = 0; round < 400; round++) { kept.add(new byte[100_000]); if (kept.size() > 100) kept.remove(0); }
    System.out.println(kept.size()); } }
"""
GO = """
package main
func main() { kept := [][]byte{}
    for round := 0; round < 2000; round++ { piece := make([]byte, 100000)
        for place := 0; place < len(piece); place += 4096 { piece[place] = 1 }
        kept = append(kept, piece); if len(kept) > 100 { kept = kept[1:] } }
    println(len(kept)) }
"""
PYTHON = "import json; kept = [{'number': i} for i in range(100000)]; print(len(json.dumps(kept)))\n"


class Group:
    """A control group of its own, below that of this process, made and removed without anything of fetchbench."""

    def __init__(self, limit=None):
        lines = open("/proc/self/cgroup", encoding="ascii").read().splitlines()
        first = [line.split(":", 2)[2] for line in lines if "memory" in line.split(":")[1].split(",")]
        self.is_first = bool(first)
        root = "/sys/fs/cgroup/memory" + first[0] if first else "/sys/fs/cgroup" + lines[-1].split(":", 2)[2]
        self.folder = f"{root}/survive-bars-{os.getpid()}-{random.randrange(1 << 30)}"
        os.mkdir(self.folder)
        if limit is not None:
            self.write("memory.limit_in_bytes" if self.is_first else "memory.max", int(limit * MIB))

    def write(self, name, value):
        with open(f"{self.folder}/{name}", "w", encoding="ascii") as file:
            file.write(str(value))

    def run(self, command, seconds):
        """The status and the time of a command in it, and whether its limit was reached; it is killed at the time limit."""
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   preexec_fn=lambda: self.write("cgroup.procs", 0))
        # Without a timeout, since with one `wait` looks every 50 ms at last.
        timer = threading.Timer(seconds, os.killpg, (process.pid, 9))
        timer.start()
        status = process.wait()
        timer.cancel()
        spent = time.monotonic() - begin
        with open(f"{self.folder}/{'memory.failcnt' if self.is_first else 'memory.events'}", encoding="ascii") as file:
            words = file.read().split()
        hits = int(words[0] if self.is_first else words[words.index("max") + 1])
        for _ in range(100):
            try:
                os.rmdir(self.folder)
                break
            except OSError:
                time.sleep(0.05)
        return status, spent, hits > 0


def survive(fetchbench, command, *words):
    ended = subprocess.run([fetchbench, "survive", command, "--format", "json", "--quiet", *words], capture_output=True, text=True,
                           check=False)
    return ended.returncode, json.loads(ended.stdout)["cases"][0]


def runs(command, limit, count, seconds, files=()):
    """The times of the runs that survived a limit, as many as did, and whether one of them reached it."""
    times, is_reached = [], False
    for _ in range(count):
        for file in files:
            drop(file)
        status, spent, has_reached = Group(limit).run(command, seconds)
        if status == 0:
            times.append(spent)
            is_reached = is_reached or has_reached
    return times, is_reached


def drop(path):
    try:
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)
    except OSError:
        pass


def mapped(command):
    """The files that a command maps or has open, as far as a poller sees them."""
    found = set()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/maps", encoding="utf-8", errors="replace") as file:
                found.update(line[line.index("/"):].strip() for line in file if "/" in line)
            for name in os.listdir(f"/proc/{process.pid}/fd"):
                found.add(os.readlink(f"/proc/{process.pid}/fd/{name}"))
        except OSError:
            pass
    return [path for path in found if os.path.isfile(path)]


def is_slow(words, limit, count, seconds):
    """Whether runs under a limit fail or are slower than runs in turn without one: by more than a twentieth, or by a quarter
    where it was never reached, and with the halves in the middle apart."""
    times, is_reached = {None: [], limit: []}, False
    for turn in range(2 * count):
        # Either comes first as often as the other.
        place = limit if turn % 4 in (1, 2) else None
        survived, has_reached = runs(words, place, 1, seconds if place else 60)
        times[place] += survived
        is_reached = is_reached or has_reached
    tolerated = 1.05 if is_reached else 1.25
    limited, free = sorted(times[limit]), sorted(times[None])
    return len(limited) < count or (statistics.median(limited) > tolerated * statistics.median(free)
                                    and limited[count // 4] > free[-1 - count // 4])


def edges(fetchbench, programs, count):
    good = True
    for name, command in programs.items():
        words = ["/bin/sh", "-c", command]
        free = statistics.median(runs(words, None, count, 60)[0])
        seconds = 10 * free + 5
        _, case = survive(fetchbench, command)
        found, unhurt = case["survives_bytes"] // MIB, case.get("unhurt_bytes", 0) // MIB
        # Downwards from where it surely lives, by bisection on ten runs of ten.
        low, high = 0, 2 * found + 8
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if len(runs(words, middle, count, seconds)[0]) == count else (middle, high)
        # Times from there on, at steps of a tenth.
        limits, limit = [], high
        while limit < max(4 * unhurt, 2 * high):
            limits.append(limit)
            limit += max(1, limit // 10)
        hurting = high - 1
        for limit in limits:
            # Twice, since one of so many comparisons on a shared machine is off.
            if is_slow(words, limit, count, seconds) and is_slow(words, limit, count, seconds):
                hurting = limit
            elif limit > 1.5 * max(unhurt, hurting):
                break
        expected = next((limit for limit in limits if limit > hurting), None)
        bounds = {key: [bound // MIB for bound in case.get(f"{key}_between_bytes", [0, 0])] for key in ("survives", "unhurt")}
        is_met = (abs(found - high) <= 1 or bounds["survives"][0] <= high <= bounds["survives"][1]) and expected is not None and (
            abs(unhurt - expected) <= max(1, 0.1 * expected) or bounds["unhurt"][0] <= expected <= bounds["unhurt"][1])
        good = good and is_met
        told = {key: f"({low}–{high})" for key, (low, high) in bounds.items()}
        print(f"{name}: survives with {found} {told['survives']}, independently {high}; unhurt from {unhurt} {told['unhurt']}, "
              f"independently {expected} (hurt by {hurting}){'' if is_met else '  MISSED'}", flush=True)
    return good


def settings(fetchbench, programs, count):
    good = True
    for name, command in programs.items():
        words = ["/bin/sh", "-c", command]
        _, case = survive(fetchbench, command)
        setting = case["setting_bytes"] // MIB
        files = mapped(["/bin/sh", "-c", "exec " + command])
        free, limited = [], []
        for _ in range(count):
            free += runs(words, None, 1, 60, files)[0]
            limited += runs(words, setting, 1, 60, files)[0]
        slowdown = statistics.median(limited) / statistics.median(free) if limited else float("inf")
        is_met = len(limited) == count and slowdown < 1.1
        good = good and is_met
        print(f"{name}: needs {case['survives_bytes'] // MIB} with its files cached; setting {setting} MiB, {len(limited)} of {count} "
              f"survive in a new group, {slowdown:.2f} × the time without a limit{'' if is_met else '  MISSED'}", flush=True)
    return good


def repeats(fetchbench, programs, count):
    good = True
    for name, command in programs.items():
        cases = [survive(fetchbench, command)[1] for _ in range(count)]
        apart = 0
        for key in ("survives", "unhurt"):
            low, high = cases[0][f"{key}_between_bytes"]
            apart += sum(not low <= case[f"{key}_bytes"] <= high for case in cases)
        good = good and apart == 0
        told = [(case["survives_bytes"] // MIB, case["unhurt_bytes"] // MIB) for case in cases]
        print(f"{name}: {sorted(set(told))} in {count} searches, {apart} outside of the first one's bounds"
              f"{'' if apart == 0 else '  MISSED'}", flush=True)
    return good


def own(fetchbench, programs, count):
    touch = programs["touch"]
    good, found, counted = True, set(), 0
    for number in range(1, 21):
        open("counter", "w", encoding="ascii").close()
        status, case = survive(fetchbench, f"echo >> counter; {touch} hold 30 30; [ $(wc -l < counter) != {number} ]", "--trials", "4")
        trials = [trial for part in (case, case.get("uncached", {"limits": [], "unlimited": {"trials": []}}))
                  for limit in [part["unlimited"], *part["limits"]] for trial in limit["trials"]]
        failures = sum(trial["outcome"]["kind"] == "failed" for trial in trials)
        found.add(case.get("survives_bytes", 0) // MIB)
        # The first run is not measured, and one that fails as its process is killed for the limit does not fail by itself.
        good = good and status == 0 and failures <= 1
        counted += failures
    good = good and len(found) == 1 and counted >= 15
    print(f"one failure in run 1 to 20: survives with {sorted(found)} MiB, {counted} of the failures counted as the program's own"
          f"{'' if good else '  MISSED'}")
    return good


def workers(fetchbench, programs, count):
    """The joint peak by `exec`, beside the known size."""
    good = True
    for loops in (0, 4):
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
        for milliseconds in (20, 50, 100, 300, 1000):
            command = f"{programs['touch']} workers 6 25 {milliseconds}"
            ended = subprocess.run([fetchbench, "exec", command, "--trials", str(2 * count), "--format", "json", "--quiet"],
                                   capture_output=True, text=True, check=True)
            peaks = [trial["report"]["command"]["tree_maximum"]["net_bytes"] / MIB for trial in json.loads(ended.stdout)["trials"]]
            met = sum(abs(peak - 150) <= 3 for peak in peaks)
            good = good and met == len(peaks)
            print(f"6 workers of 25 MiB for {milliseconds} ms beside {loops} loops: {min(peaks):.2f} to {max(peaks):.2f} MiB, {met} of "
                  f"{len(peaks)} within 2 %{'' if met == len(peaks) else '  MISSED'}", flush=True)
        for process in busy:
            process.kill()
            process.wait()
    return good


class Poller(threading.Thread):
    """Reads the anonymous and shared memory of the groups that fetchbench makes, each millisecond; knows only their names."""

    def __init__(self):
        super().__init__(daemon=True)
        lines = open("/proc/self/cgroup", encoding="ascii").read().splitlines()
        first = [line.split(":", 2)[2] for line in lines if "memory" in line.split(":")[1].split(",")]
        self.names = (b"total_rss ", b"total_shmem ") if first else (b"anon ", b"shmem ")
        self.root = "/sys/fs/cgroup/memory" + first[0] if first else "/sys/fs/cgroup" + lines[-1].split(":", 2)[2]
        self.peaks, self.is_ending = {}, False

    def run(self):
        while not self.is_ending:
            for session in os.listdir(self.root):
                if not session.startswith("memprobe-session-"):
                    continue
                try:
                    for name in os.listdir(f"{self.root}/{session}"):
                        if name.startswith("t") and name[1:].isdigit():
                            self.look(f"{self.root}/{session}/{name}")
                except OSError:
                    pass
            time.sleep(0.001)

    def look(self, folder):
        with open(f"{folder}/memory.stat", "rb") as file:
            lines = file.read().splitlines()
        held = sum(int(line.split()[1]) for line in lines if line.startswith(self.names))
        self.peaks[folder] = max(self.peaks.get(folder, 0), held)


def servers(fetchbench, programs, count, only=()):
    """Each trial beside the poller; without program pages the two read the same counters, at other instants."""
    folder = os.path.dirname(programs["touch"])
    good = True
    for name, command in served(folder).items():
        if only and not name.startswith(tuple(only)):
            continue
        met, told = 0, []
        for _ in range(count):
            poller = Poller()
            poller.start()
            ended = subprocess.run([fetchbench, "exec", command, "--trials", "1", "--format", "json", "--quiet", "--wait-for-children", "5"],
                                   capture_output=True, text=True, check=False)
            poller.is_ending = True
            poller.join()
            trial = json.loads(ended.stdout)["trials"][0]
            if trial["outcome"]["kind"] != "completed" or not poller.peaks:
                print(f"{name}: {trial['outcome']}")
                continue
            seen, found = max(poller.peaks.values()) / MIB, trial["report"]["command"]["tree_maximum"]["net_bytes"] / MIB
            told.append((round(found, 1), round(seen, 1)))
            met += abs(found - seen) <= max(0.02 * seen, 0.5)
        good = good and met == count
        print(f"{name}: {told[:3]} … MiB beside the poller's, {met} of {count} within 2 %{'' if met == count else '  MISSED'}", flush=True)
    return good


def served(folder):
    """Commands that start programs of several processes, use them and end them; those that are not here are said."""
    commands = {}

    def script(name, text):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
        return f"{folder}/{name}"

    work = script("pool.py", "import multiprocessing, time\ndef held(number):\n    kept = bytearray(20 << 20)\n    kept[::4096] = b'x' * len(kept[::4096])\n"
                  "    time.sleep(0.3)\n    return len(kept)\nif __name__ == '__main__':\n    multiprocessing.set_start_method('fork')\n"
                  "    with multiprocessing.Pool(4) as pool: print(sum(pool.map(held, range(8), chunksize=1)))\n")
    commands["multiprocessing"] = f"{sys.executable} {work}"
    if shutil.which("gunicorn"):
        script("site.py", "kept = []\ndef app(environ, start):\n    if len(kept) < 5: kept.append(bytearray(b'x') * (4 << 20))\n"
               "    start('200 OK', [('Content-Type', 'text/plain')])\n    return [b'ok']\n")
        commands["gunicorn"] = (f"cd {folder} && gunicorn --workers 4 --bind unix:{folder}/socket site:app --pid {folder}/pid --daemon && sleep 1 && "
                                f"for i in $(seq 200); do curl -s --unix-socket {folder}/socket http://x/ >/dev/null; done; kill $(cat {folder}/pid); sleep 1")
    if shutil.which("nginx"):
        script("nginx.conf", f"daemon off; worker_processes 4; pid {folder}/nginx.pid; error_log {folder}/error.log;\nevents {{}}\n"
               f"http {{ access_log off; client_body_temp_path {folder}; server {{ listen unix:{folder}/web; location / {{ return 200 ok; }} }} }}\n")
        commands["nginx"] = (f"nginx -c {folder}/nginx.conf -e {folder}/error.log & server=$!; sleep 0.5; "
                             f"for i in $(seq 100); do curl -s --unix-socket {folder}/web http://x/ >/dev/null; done; kill $server; wait")
    binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if binaries and shutil.which("pgbench"):
        data = f"{folder}/data"
        os.chmod(folder, 0o755)
        os.makedirs(data)
        shutil.chown(data, "postgres")
        as_user = "setpriv --reuid=postgres --regid=postgres --clear-groups"
        subprocess.run(f"{as_user} {binaries[-1]}/initdb -D {data} -A trust", shell=True, check=True, capture_output=True)
        server = f"{as_user} {binaries[-1]}/pg_ctl -D {data} -w -o '-k {data} -h \"\"' -l {data}/log"
        commands["PostgreSQL"] = (f"{server} start && {as_user} pgbench -h {data} -i -s 2 -q postgres && "
                                  f"{as_user} pgbench -h {data} -c 4 -T 2 postgres; {server} stop")
    sources = " ".join(script(f"part{number}.c", f"#include <stdio.h>\nint part{number}(void) {{ return printf(\"%d\", {number}); }}\n")[len(folder) + 1:-2] + ".o"
                       for number in range(40))
    script("Makefile", f"all: {sources}\n%.o: %.c\n\tcc -O2 -c $< -o $@\n")
    commands["make -j8"] = f"cd {folder} && rm -f *.o && make -j8 -s"
    for name in ("gunicorn", "nginx", "PostgreSQL"):
        if name not in commands:
            print(f"{name} is not installed: left out")
    return commands


def compare(fetchbench, programs, count):
    base, head = (f"{programs['touch']} workers 6 {size} 60" for size in (25, 40))
    red, effects, false_alarms = 0, [], 0
    for _ in range(count):
        ended = subprocess.run([fetchbench, "compare", "--base-exec", base, "--head-exec", head, "--format", "json", "--quiet",
                                "--output", "."], capture_output=True, text=True, check=False)
        red += ended.returncode == 1
        effects += [finding["effect"] for finding in json.loads(ended.stdout)["findings"] if finding["verdict"] == "regressed"][:1]
    for _ in range(2 * count):
        ended = subprocess.run([fetchbench, "compare", "--base-exec", base, "--head-exec", base, "--quiet", "--output", "."],
                               capture_output=True, text=True, check=False)
        false_alarms += ended.returncode == 1
    good = red == count and false_alarms == 0
    print(f"6 × 25 against 6 × 40 MiB: red {red} of {count}, effects {effects}; against itself: red {false_alarms} of {2 * count}"
          f"{'' if good else '  MISSED'}")
    return good


def made(folder):
    """The programs by their names, as commands, as far as their compilers and runtimes are here."""
    touch = f"{folder}/touch"
    with open(f"{touch}.c", "w", encoding="utf-8") as file:
        file.write(TOUCH)
    subprocess.run(["cc", "-O1", "-w", "-o", touch, f"{touch}.c"], check=True)
    programs = {f"hold {size}": f"{touch} hold {size} 30" for size in (20, 50, 100, 400)}
    programs |= {"adapt": f"{touch} adapt", "collect": f"{touch} collect"}
    texts = {"node": ("kept.js", NODE), "java": ("Kept.java", JAVA), "go": ("kept.go", GO), "python3": ("kept.py", PYTHON)}
    for tool, (name, text) in texts.items():
        path = shutil.which(tool)
        if not path:
            print(f"{tool} is not installed: left out")
            continue
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
        if tool == "java":
            subprocess.run(["javac", "-d", folder, f"{folder}/{name}"], check=True)
        if tool == "go":
            subprocess.run(["go", "build", "-o", f"{folder}/kept", f"{folder}/{name}"], check=True, env=os.environ | {"GOFLAGS": "-mod=mod", "GO111MODULE": "off"})
        # The program itself, not a script that looks for it.
        commands = {"node": f"{path} {folder}/{name}", "java": f"{os.path.realpath(path)} -cp {folder} Kept", "go": f"{folder}/kept",
                    "python3": f"{os.path.realpath(sys.executable)} {folder}/{name}"}
        programs[tool] = commands[tool]
    return touch, programs


def main():
    checks = {"edges": edges, "settings": settings, "repeats": repeats, "own": own, "workers": workers, "servers": servers,
              "compare": compare}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fetchbench")
    parser.add_argument("checks", nargs="*", choices=[*checks, []])
    parser.add_argument("--only", action="append", help="the programs to try, by the beginning of their names")
    parser.add_argument("--runs", type=int, default=10)
    asked = parser.parse_args()
    fetchbench = os.path.abspath(asked.fetchbench)
    folder = tempfile.mkdtemp(prefix="survive-bars-", dir="/var/tmp")
    os.chdir(folder)
    try:
        touch, programs = made(folder)
        if asked.only:
            programs = {name: command for name, command in programs.items() if name.startswith(tuple(asked.only))}
        good = True
        for name in asked.checks or checks:
            chosen = {"touch": touch} if name in ("own", "workers", "servers", "compare") else programs
            more = {"only": asked.only or ()} if name == "servers" else {}
            good = checks[name](fetchbench, chosen, asked.runs, **more) and good
        return 0 if good else 1
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

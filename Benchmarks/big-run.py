#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a run of 10,140 trials with their series, and measures the cost of rendering it: at most 3 s and 128 MiB.

A small real run is measured first (about a minute); its trials are repeated, each with some pages more, until there are
enough. The folder is an ordinary run, so other commands work on it.
Usage: Benchmarks/big-run.py make PATH-OF-FETCHBENCH FOLDER [--trials N]
       Benchmarks/big-run.py draw PATH-OF-FETCHBENCH FOLDER [FORMAT ...]
       Benchmarks/big-run.py bar PATH-OF-FETCHBENCH (both, in a temporary folder)
Wall time is the best of three, because other processes only add to it. The peak is that of wait4, whose floor is this
script's own (12 MiB); therefore another process makes the folder.
"""
import csv
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20
PAGE = 4096
TRIALS = 10140
SECONDS = 3
MOST = 128 * MIB
FORMATS = ["table", "markdown", "csv", "summary", "slopes", "json", "html"]
PLAN = ["--asset", "256KiB,1MiB,4MiB", "--mode", "data,data-delegate,download,stream,raw", "--render", "none",
        "--allocator", "glibc,jemalloc", "--concurrency", "1,5", "--trials", "2"]
# The figures that a process holds: they move together, so that each trial stays consistent.
HELD = {"resident_bytes", "anonymous_bytes", "peak_resident_bytes", "proportional_bytes", "unique_bytes",
        "sampled_maximum_bytes", "lower_bound_bytes", "upper_bound_bytes", "sampled_maximum_resident_bytes"}
TIMES = {"cpu_ns", "process_duration_ns", "verification_cpu_ns"}


def varied(value, pages, stretch, key=""):
    """A value of a trial with its sizes moved by pages and its times stretched."""
    if isinstance(value, dict):
        # The allocator's statistics stay as they are: they have a key of the same name.
        return {k: v if k in ("allocator", "case", "baseline") else varied(v, pages, stretch, k) for k, v in value.items()}
    if isinstance(value, list):
        return [varied(item, pages, stretch, key) for item in value]
    if key in HELD:
        return value + pages * PAGE
    return int(value * stretch) if key in TIMES else value


def series(folder):
    """The header of samples.csv, and its rows by trial."""
    with open(os.path.join(folder, "samples.csv"), newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        return header, {number: list(group) for number, group in itertools.groupby(rows, key=lambda row: int(row[0]))}


def make(binary, folder, trials):
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run([binary, "run", "--output", temporary, "--quiet", *PLAN], stdout=subprocess.DEVNULL, check=True)
        small = os.path.join(temporary, os.listdir(temporary)[0])
        with open(os.path.join(small, "run.json")) as file:
            run = json.load(file)
        with open(os.path.join(small, "trials.jsonl")) as file:
            few = [json.loads(line) for line in file]
        header, rows = series(small)
    os.makedirs(folder)
    run["plan"]["trials"] = -(-trials // len(run["plan"]["cases"]))
    run["identifier"] = os.path.basename(os.path.abspath(folder))
    with (open(os.path.join(folder, "samples.csv"), "w", newline="") as file,
          open(os.path.join(folder, "trials.jsonl"), "w") as log):
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        for number in range(1, trials + 1):
            source = few[(number - 1) % len(few)]
            pages = chance.randint(0, 64)
            trial = varied(source, pages, 0.9 + 0.2 * chance.random())
            trial["trial"], trial["seed"] = number, chance.getrandbits(64)
            # In the harness's layout, so that it is as long as a measured one.
            log.write(json.dumps(trial, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n")
            for row in rows.get(source["trial"], []):
                held = [str(int(field) + pages * PAGE) for field in row[3:5]]
                table.writerow([number, row[1], row[2], *held, *row[5:]])
    with open(os.path.join(folder, "run.json"), "w") as file:
        json.dump(run, file, indent=2, sort_keys=True, separators=(",", " : "))
        file.write("\n")
    sizes = {name: f"{os.path.getsize(os.path.join(folder, name)) / MIB:.1f} MiB" for name in ("trials.jsonl", "samples.csv")}
    print(f"{folder}: {trials} trials of {len(run['plan']['cases'])} cases, {sizes}", flush=True)


def drawn(binary, folder, name):
    """Wall time and CPU time in seconds, peak and size of the text in bytes of rendering a run in a format."""
    with tempfile.TemporaryFile() as out:
        start = time.monotonic()
        pid = os.posix_spawn(binary, [binary, "report", folder, "--format", name], os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)])
        _, status, usage = os.wait4(pid, 0)
        wall = time.monotonic() - start
        if status != 0:
            sys.exit(f"report --format {name} ended with {os.waitstatus_to_exitcode(status)}")
        return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, os.fstat(out.fileno()).st_size


def draw(binary, folder, formats):
    met = True
    for name in formats or FORMATS:
        times, cpu, peaks, sizes = zip(*(drawn(binary, folder, name) for _ in range(3)))
        within = min(times) <= SECONDS and max(peaks) <= MOST
        met = met and within
        print(f"{'met   ' if within else 'MISSED'}  report --format {name} of a big run: {min(times):.2f} s "
              f"({min(cpu):.2f} s CPU), {max(peaks) / MIB:.0f} MiB, {sizes[0] / MIB:.2f} MiB of text  "
              f"(bar: <= {SECONDS} s, <= {MOST // MIB} MiB)", flush=True)
    return met


def main():
    words = sys.argv[1:]
    trials = int(words.pop(words.index("--trials") + 1)) if "--trials" in words else TRIALS
    words = [word for word in words if word != "--trials"]
    if len(words) < 2 or words[0] not in ("make", "draw", "bar") or (words[0] != "bar" and len(words) < 3):
        sys.exit(__doc__)
    binary = os.path.abspath(words[1])
    if words[0] == "make":
        make(binary, words[2], trials)
    elif words[0] == "draw":
        sys.exit(0 if draw(binary, words[2], words[3:]) else 1)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            folder = os.path.join(temporary, "big")
            subprocess.run([sys.executable, __file__, "make", binary, folder, "--trials", str(trials)], check=True)
            sys.exit(0 if draw(binary, folder, []) else 1)


if __name__ == "__main__":
    main()

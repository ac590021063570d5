#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the growth that two builds of fetchbench measure, each with its own harness, trial programs and protocol.

`compare` measures both sides with one harness; this script is for builds with different protocols. They run in turn, one
trial of every case a round. The medians of anonymous and net growth are compared for each case (growth with program pages
if a build has no net figure); the bar is the larger of 1 % and 256 KiB.
Usage: Benchmarks/growth.py OLD-FETCHBENCH NEW-FETCHBENCH [--pairs N] [-- PLAN FLAGS]
"""
import csv
import os
import statistics
import subprocess
import sys
import tempfile

USUAL = ["--asset", "hero", "--mode", "data,download,stream,raw", "--render", "none,imageview,thumbnail",
         "--allocator", "glibc,jemalloc"]
KIB = 1024
COLUMNS = ["peak_anonymous_growth_bytes", "net_peak_growth_bytes"]


def measure(binary, plan, seed):
    """One trial of every case: the row of each completed one."""
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "run", "--output", folder, "--quiet", *plan, "--trials", "1", "--seed", str(seed)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr}")
        with open(os.path.join(folder, os.listdir(folder)[0], "trials.csv"), newline="") as file:
            return {row["case"]: row for row in csv.DictReader(file) if row["outcome"] == "completed"}


def figure(row, column):
    text = row.get(column) or (row["peak_resident_growth_bytes"] if column.startswith("net") else "")
    return float(text) if text else None


def main():
    words, plan = sys.argv[1:], USUAL
    if "--" in words:
        words, plan = words[:words.index("--")], words[words.index("--") + 1:]
    pairs = int(words.pop(words.index("--pairs") + 1)) if "--pairs" in words else 12
    words = [word for word in words if word != "--pairs"]
    if len(words) != 2:
        sys.exit(__doc__)
    values = {}
    for number in range(pairs + 1):
        for side in (0, 1) if number % 2 else (1, 0):
            rows = measure(os.path.abspath(words[side]), plan, number + 1)
            if number == 0:
                continue  # The first round warms the machine's caches.
            for case, row in rows.items():
                for column in COLUMNS:
                    if (value := figure(row, column)) is not None:
                        values.setdefault((case, column), ([], []))[side].append(value)
    worst = True
    for (case, column), (old, new) in sorted(values.items()):
        if case.startswith("none/") or not old or not new:
            continue
        before, after = statistics.median(old), statistics.median(new)
        bar = max(0.01 * abs(before), 256 * KIB)
        word = "within" if abs(after - before) <= bar else "lower" if after < before else "HIGHER"
        worst = worst and word != "HIGHER"
        print(f"{word:7} {case:40} {column.split('_growth')[0]:15} {before / KIB / KIB:8.2f} -> {after / KIB / KIB:8.2f} MiB "
              f"({(after - before) / KIB:+.0f} KiB, n = {len(old)} + {len(new)})", flush=True)
    sys.exit(0 if worst else 1)


main()

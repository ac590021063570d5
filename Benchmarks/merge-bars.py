#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures merging: time, memory and rate of `fetchbench merge` for 1,000 made-up shards.

Usage: Benchmarks/merge-bars.py FETCHBENCH [--csv FILE] [FOLDER]

21 trials of each shard first, for what the heads take (with fewer, reports would be made). Then 300 and 1,000 with lines
as long as real ones, and 10,000 with short lines, so that ten million fit on a disk (some 15 GB in FOLDER, by default a temporary one).
Merging has to copy at least 50 MB of trials.jsonl a second of processor time, the heads included, to take at most 100 MiB of
memory, and, beyond the heads, time of its own in proportion to the bytes. What the kernel takes to read and write them depends on how
full its cache is. --csv stores the figures: results/merge.csv is what docs/ten-million-trials.md is made of.
"""
import argparse
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SHARDS = 1000
MASK = (1 << 64) - 1
MOST_MEMORY = 100 << 20
LEAST_RATE = 50e6


class Generator:
    """SplitMix64, and the draws that Swift's library makes from it."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound):
        product = self.next() * bound
        if product & MASK < bound:
            least = (-bound & MASK) % bound
            while product & MASK < least:
                product = self.next() * bound
        return product >> 64

    def shuffled(self, count):
        order = list(range(count))
        for place in range(count - 1):
            other = place + self.below(count - place)
            order[place], order[other] = order[other], order[place]
        return order


def turns(cases, trials, seed):
    """The place of the case of each trial, and its seed, in the order of numbers."""
    generator = Generator(seed)
    for _ in range(trials):
        for case in generator.shuffled(cases):
            yield case, generator.next()


def fetchbench(binary, *words, **options):
    return subprocess.run([binary, *map(str, words)], check=True, capture_output=True, text=True, **options).stdout


def real_shard(binary, folder):
    """The head of a real shard and one of its lines; checks the order of trials on the way."""
    words = ["--mode", "data,raw", "--asset", "1KiB", "--render", "none", "--allocator", "glibc", "--trials", 3, "--quiet"]
    fetchbench(binary, "run", *words, "--shard", "1/1", "--output", folder / "real")
    place = next((folder / "real").iterdir())
    head = json.loads((place / "run.json").read_text())
    lines = [json.loads(line) for line in (place / "trials.jsonl").read_text().splitlines()]
    expected = [(head["plan"]["cases"][case], seed) for case, seed in turns(3, 3, head["plan"]["seed"])]
    if [(line["case"], line["seed"]) for line in lines] != expected:
        sys.exit("merge-bars: the order of trials is another one than in this script")
    return head, lines[-1]


def compact(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def make(head, line, stored, trials, folder, is_short):
    """Writes the shards of a stored plan, each with one case, and returns the bytes of their logs."""
    plan = stored["plan"]
    line = dict(line)
    if is_short:
        for key in ("report", "anonymous_peaks", "charge"):
            line.pop(key, None)
    cases = plan["cases"]
    assert len(cases) == SHARDS
    parts = []
    for number, case in enumerate(cases, 1):
        place = folder / f"shard-{number}"
        place.mkdir(parents=True)
        sharding = dict(head["sharding"], count=SHARDS, number=number, plan_hash=stored["hash"])
        record = dict(head, identifier=place.name, plan=dict(plan, cases=[case]), sharding=sharding)
        (place / "run.json").write_text(compact(record))
        (place / "plan.json").write_text(compact(stored))
        text = compact(dict(line, case=case, seed=0, trial=0))
        before, rest = text.split('"seed":0', 1)
        between, after = rest.split('"trial":0', 1)
        parts.append((before + '"seed":', between + '"trial":', after + "\n"))
    # A thousand files are open at once.
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    logs = [(folder / f"shard-{number}" / "trials.jsonl").open("w", encoding="utf-8") for number in range(1, SHARDS + 1)]
    for number, (case, seed) in enumerate(turns(SHARDS, trials, plan["seed"]), 1):
        first, second, third = parts[case]
        logs[case].write(f"{first}{seed}{second}{number}{third}")
    for log in logs:
        log.close()
    return sum(os.path.getsize(log.name) for log in logs)


def merge(binary, folder, output):
    """Merges, and returns the seconds of processor time, its own and the kernel's, and the peak memory in bytes."""
    shards = sorted(str(place) for place in folder.iterdir())
    process = subprocess.Popen(
        [binary, "merge", *shards, "--output", str(output)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"merge-bars: merge ended with {os.waitstatus_to_exitcode(status)}: {said}")
    return usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("fetchbench")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--csv")
    arguments = parser.parse_args()
    binary = str(Path(arguments.fetchbench).resolve())
    root = Path(tempfile.mkdtemp(prefix="merge-bars-", dir=arguments.folder))
    faults, rows = [], []
    try:
        head, line = real_shard(binary, root)
        sizes = ",".join(f"{size}KiB" for size in range(1, SHARDS))
        for trials, is_short in ((21, False), (300, False), (1000, False), (10_000, True)):
            stored = json.loads(fetchbench(
                binary, "plan", "--mode", "raw", "--asset", sizes, "--render", "none", "--allocator", "glibc", "--trials", trials))
            count = make(head, line, stored, trials, root / "shards", is_short)
            own, kernel, memory = merge(binary, root / "shards", root / "merged")
            with (root / "merged" / "trials.jsonl").open("rb") as log:
                merged = sum(1 for _ in log)
            if merged != SHARDS * trials or (root / "merged" / "trials.jsonl").stat().st_size != count:
                faults.append(f"{trials} trials: {merged} are merged")
            rows.append({"shards": SHARDS, "trials_per_shard": trials, "bytes": count, "user_s": round(own, 2),
                         "system_s": round(kernel, 2), "peak_resident_bytes": memory})
            rate = count / (own + kernel)
            print(f"{SHARDS} shards × {trials} trials: {count / 1e6:.0f} MB in {own:.1f} s and {kernel:.1f} s of the kernel, "
                  f"{rate / 1e6:.0f} MB/s, {memory / (1 << 20):.0f} MiB", flush=True)
            # The first has hardly any trials.
            if len(rows) > 1 and rate < LEAST_RATE:
                faults.append(f"{trials} trials: {rate:.0f} bytes a second")
            if memory > MOST_MEMORY:
                faults.append(f"{trials} trials: {memory} bytes of memory")
            shutil.rmtree(root / "shards")
            shutil.rmtree(root / "merged")
        # Three times the bytes in three times the time, beyond that of the heads.
        pace = [(row["bytes"] - rows[0]["bytes"]) / (row["user_s"] - rows[0]["user_s"]) for row in rows[1:3]]
        if not 0.8 < pace[0] / pace[1] < 1.25:
            faults.append(f"beyond the heads {pace[0]:.0f} bytes a second at 300 trials, {pace[1]:.0f} at 1,000")
    finally:
        shutil.rmtree(root)
    if arguments.csv:
        with open(arguments.csv, "w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
    for fault in faults:
        print(f"merge-bars: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how often verdicts over several hosts are right: one program against itself, and with planted memory, in real shards.

Usage: Benchmarks/shard-verdicts.py FETCHBENCH UNCHANGED PLANTED [OUTPUT]

UNCHANGED comparisons of a build with itself, and PLANTED ones with 256 KiB held in the head while download fetches, over four shards
and three hosts, half of them with the shards merged in two steps. The hosts are parts of this machine that differ: one is as it is,
one has a single processor, one shares its processors with others' work. OUTPUT (default: results/shard-verdicts.csv) has a row for
each finding. It exits with 1 if a verdict was wrong.
"""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARDS = 4
PLANTED = 256 << 10
PLAN = ["--mode", "data,download,raw", "--asset", "256KiB", "--render", "none", "--allocator", "glibc", "--rate", "unlimited"]
COLUMNS = ["comparison", "planted_bytes", "status", "hosts", "case", "part", "metric", "verdict", "p", "change", "smallest_host_change",
           "largest_host_change"]


def measured(binary, folder, number, planted):
    """The rows of the findings of one comparison."""
    sides = ["--base", binary, "--head", binary, *PLAN, *(["--plant", f"download={planted}"] if planted else [])]
    for shard in range(1, SHARDS + 1):
        host = (shard + number) % 3
        prefix = ["taskset", "-c", "0"] if host == 1 else []
        # Work that comes and goes, as of a neighbour.
        work = subprocess.Popen(["sh", "-c", "while :; do timeout 0.3 gzip -c /dev/zero >/dev/null; sleep 0.1; done"],
                                start_new_session=True) if host == 2 else None
        try:
            subprocess.run(
                [*prefix, binary, "compare", *sides, "--shard", f"{shard}/{SHARDS}", "--output", folder / "shards", "--quiet"],
                check=True, capture_output=True, env=dict(os.environ, FETCHBENCH_HOST=f"host-{host}"))
        finally:
            if work:
                os.killpg(work.pid, 15)
                work.wait()
    shards = sorted((folder / "shards").iterdir())
    if number % 2:
        subprocess.run([binary, "merge", *shards[:2], "--output", folder / "half"], capture_output=True)
        shards = [folder / "half", *shards[2:]]
    status = subprocess.run([binary, "merge", *shards, "--output", folder / "merged"], capture_output=True).returncode
    for finding in json.loads((folder / "merged/judgement.json").read_text())["findings"]:
        changes = [host["head"] - host["base"] for host in finding["over_hosts"]["changes"]]
        yield {"comparison": number, "planted_bytes": planted, "status": status, "hosts": len(changes), "case": finding["case"],
               "part": finding["part"], "metric": finding["metric"], "verdict": finding["verdict"], "p": finding["p"],
               "change": finding["change"], "smallest_host_change": min(changes), "largest_host_change": max(changes)}


def is_right(row):
    is_planted = row["planted_bytes"] and "/download/" in row["case"] and row["part"] == "fetch_path"
    return row["verdict"] == ("regressed" if is_planted else "unchanged")


def main():
    if len(sys.argv) not in (4, 5):
        print(__doc__, file=sys.stderr)
        return 64
    binary = str(Path(sys.argv[1]).resolve())
    output = Path(sys.argv[4]) if len(sys.argv) == 5 else ROOT / "results/shard-verdicts.csv"
    wrong = 0
    with output.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        kinds = [0] * int(sys.argv[2]) + [PLANTED] * int(sys.argv[3])
        for number, planted in enumerate(kinds, 1):
            folder = Path(tempfile.mkdtemp(prefix="shard-verdicts-"))
            try:
                rows = list(measured(binary, folder, number, planted))
            finally:
                shutil.rmtree(folder)
            table.writerows(rows)
            file.flush()
            for row in rows:
                if not is_right(row):
                    wrong += 1
                    print(f"wrong: {row}", file=sys.stderr)
            print(f"{number} of {len(kinds)}: {'planted' if planted else 'unchanged'}, status {rows[0]['status']}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

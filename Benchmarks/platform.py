#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What do waiting, small HTTP chunks and full speed cost each fetch path?

    Benchmarks/platform.py FETCHBENCH [waiting | chunks | full-speed]...

Measures with `fetchbench run` and the embedded origin, and writes results/waiting.csv, results/chunks.csv and
results/full-speed.csv, from which scripts/figures makes the tables of docs/waiting.md, docs/chunks.md and
docs/memory-laws.md. Takes about 4, 20 and 20 minutes on an idle machine; full speed needs 16 GiB of memory.
"""
import csv
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ["situation", "mode", "asset", "trials", "failed", "peak_bytes", "peak_low_bytes", "peak_high_bytes", "anonymous_bytes",
           "processor_ns", "duration_ns", "share_low", "share_high"]
# A mode of each client, and those of URLSession that people use; uploads have an answer to wait for.
CLIENTS = "data,download,stream,ahc-stream,nio-stream,curl-stream,raw"
WAITS = {
    "new-connection": ["--mode", CLIENTS, "--asset", "8MiB", "--rate", "8MiB", "--start", "cold"],
    "kept-connection": ["--mode", CLIENTS, "--asset", "8MiB", "--rate", "8MiB"],
    "first-byte": ["--mode", CLIENTS, "--asset", "64KiB", "--latency", "1s", "--start", "cold"],
    "first-byte-kept": ["--mode", CLIENTS, "--asset", "64KiB", "--latency", "1s"],
    "four-at-once": ["--mode", "data,download,stream,ahc-stream,nio-stream,curl-stream", "--asset", "8MiB", "--rate", "8MiB",
                     "--concurrency", "4"],
    "upload": ["--mode", "upload,upload-file", "--asset", "8MiB", "--latency", "1s"],
    # How long it waits, to see whether memory grows with that.
    "wait-100ms": ["--mode", "data,download,stream", "--asset", "64KiB", "--latency", "100ms", "--start", "cold"],
    "wait-4s": ["--mode", "data,download,stream", "--asset", "64KiB", "--latency", "4s", "--start", "cold"],
}
FETCHING = ("data,data-async,data-delegate,download,download-async,download-delegate,stream,stream-bounded,sync-data,sync-string,gcd-data,"
            "taskgroup-data,taskgroup-download,taskgroup-dictionary,taskgroup-discarding,publisher-data,publisher-download,publisher-share,"
            "publisher-connectable,publisher-retry-catch,ahc-stream,ahc-collect,ahc-file,nio-stream,curl-stream,raw,raw-drop")
CUT = ["--mode", FETCHING, "--rate", "unlimited", "--transfer", "chunked", "--timeout", "300", "--verify", "length"]
CHUNKS = {
    "8MiB": [*CUT, "--asset", "text-8MiB", "--chunk", "none,16,64,256,1KiB,4KiB,16KiB,64KiB"],
    "1MiB": [*CUT, "--asset", "text-1MiB", "--chunk", "none,1"],
}
# Modes that differ in how they hold a body; publishers and task groups are data or download tasks underneath.
HOLDING = ("data,data-async,data-delegate,sync-data,gcd-data,download,download-delegate,stream,upload,ahc-stream,ahc-collect,nio-stream,"
           "curl-stream,raw")
FULL = {
    "full-speed": ["--mode", HOLDING, "--rate", "unlimited", "--asset", "64MiB,256MiB,1GiB,2GiB,3GiB,4GiB", "--timeout", "600",
                   "--memory-limit", "20GiB", "--verify", "length"],
}
SETS = {"waiting": (WAITS, 10), "chunks": (CHUNKS, 5), "full-speed": (FULL, 3)}


def rows(fetchbench, situation, words, trials):
    with tempfile.TemporaryDirectory(prefix="platform-") as folder:
        command = [fetchbench, "run", *words, "--render", "none", "--allocator", "glibc", "--trials", str(trials), "--quiet",
                   "--output", folder]
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        # 2: some trials failed, which is a result here.
        if ended.returncode not in (0, 2):
            sys.exit(f"platform: {' '.join(command)} ended with {ended.returncode}; nothing was written")
        with open(next(Path(folder).iterdir()) / "trials.csv", encoding="utf-8", newline="") as file:
            found = list(csv.DictReader(file))
    cases = {}
    for row in found:
        if row["mode"] != "none":
            name = situation if situation not in CHUNKS else f"chunk-{row['chunk_bytes'] or 'none'}"
            cases.setdefault((name, row["mode"], row["asset"]), []).append(row)
    for (name, mode, asset), all_of in cases.items():
        good = [row for row in all_of if row["outcome"] == "completed"]
        peaks = [int(row["net_peak_growth_bytes"]) for row in good]
        shares = [int(row["fetch_cpu_ns"]) / int(row["fetch_duration_ns"]) for row in good]

        def median(column):
            return round(statistics.median(int(row[column]) for row in good)) if good else ""

        yield [name, mode, asset, len(good), len(all_of) - len(good), median("net_peak_growth_bytes"), min(peaks, default=""),
               max(peaks, default=""), median("peak_anonymous_growth_bytes"), median("fetch_cpu_ns"), median("fetch_duration_ns"),
               *([f"{min(shares):.3f}", f"{max(shares):.3f}"] if good else ["", ""])]


def main():
    if len(sys.argv) < 2 or set(sys.argv[2:]) - SETS.keys():
        print(__doc__, file=sys.stderr)
        return 64
    for name in sys.argv[2:] or SETS:
        situations, trials = SETS[name]
        table = [row for situation, words in situations.items() for row in rows(sys.argv[1], situation, words, trials)]
        with open(ROOT / "results" / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(table)
        print(f"platform: results/{name}.csv has {len(table)} rows", flush=True)
    return 0


sys.exit(main())

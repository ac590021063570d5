#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `compare` find a client that spins while it waits, and nothing where nothing differs?

    Benchmarks/processor-verdicts.py FETCHBENCH [PLANTED [NULL]]

Builds Examples/own-client as it is, and once more with SPINS_WHILE_IT_WAITS, which spends a tenth of each wait on the processor. Compares
the two PLANTED times (default: 10), and the first with itself and with a copy NULL times (default: 40), the sides in turn. Every finding
is written to results/processor-verdicts.csv. Exit status 0 where each planted spin is regressed in processor time and nothing else is
called changed.
"""
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENT = ROOT / "Examples" / "own-client"
TRIALS = "own-client-trials"
WORDS = ["--mode", "tiny-stream,tiny-load", "--asset", "4MiB", "--render", "none", "--allocator", "glibc", "--quiet", "--format", "json"]


def built(folder, *flags):
    command = ["swift", "build", "-c", "release", "--product", TRIALS, "--scratch-path", folder, *flags]
    ended = subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"processor-verdicts: the client is not built: {ended.stdout[-400:]}{ended.stderr[-400:]}")
    return Path(folder) / "release" / TRIALS


def compared(fetchbench, base, head, folder):
    command = [fetchbench, "compare", "--base-program", base, "--head-program", head, *WORDS, "--output", folder]
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1):
        sys.exit(f"processor-verdicts: compare ended with {ended.returncode}: {ended.stderr[-600:]}")
    return json.loads(ended.stdout)["findings"]


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 64
    fetchbench = sys.argv[1]
    planted, null = [int(word) for word in sys.argv[2:4]] + [10, 40][len(sys.argv[2:4]):]
    wrong, rows = 0, []
    with tempfile.TemporaryDirectory(prefix="processor-verdicts-") as place:
        place = Path(place)
        plain = built(CLIENT / ".build")
        spinning = built(CLIENT / ".build" / "spinning", "-Xswiftc", "-DSPINS_WHILE_IT_WAITS")
        copy = place / TRIALS
        shutil.copyfile(plain, copy)
        copy.chmod(0o755)
        kinds = [("spin", plain, spinning)] * planted + [
            ("null", plain, [plain, copy][number % 2]) if number % 4 < 2 else ("null", [plain, copy][number % 2], plain)
            for number in range(null)]
        for number, (kind, base, head) in enumerate(kinds, 1):
            findings = compared(fetchbench, base, head, place / str(number))
            moved = {(one["case"], one["metric"]): one["verdict"] for one in findings if one["verdict"] in ("regressed", "improved")}
            expected = {(one["case"], one["metric"]): "regressed" for one in findings
                        if kind == "spin" and one["metric"] == "fetch_cpu_ns"}
            is_right = moved == expected and (kind == "null" or expected)
            wrong += not is_right
            rows += [[number, kind, one["case"], one["metric"], one["verdict"], one.get("base", ""), one.get("head", ""),
                      one.get("limit", ""), one.get("p", "")] for one in findings]
            print(f"{number}/{len(kinds)} {kind}: {'right' if is_right else moved}", flush=True)
    if planted >= 10 and null >= 40:
        with (ROOT / "results" / "processor-verdicts.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["comparison", "planted", "case", "metric", "verdict", "base", "head", "limit", "p"])
            writer.writerows(rows)
    print(f"processor-verdicts: {wrong} of {len(kinds)} are wrong")
    return 1 if wrong else 0


sys.exit(main())

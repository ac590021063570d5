#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how often the verdict is right: a build against itself, and with ballast planted in its fetches.

Usage: Benchmarks/verdicts.py PATH-OF-FETCHBENCH [same:N] [planted:PERCENT:N ...]
  same:100      N comparisons of three modes with themselves (a small asset)
  planted:2:20  N comparisons each of a paced data and download task with PERCENT of the peak (at least 1 MiB) planted
  planted:0:20  the same with nothing planted
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

BINARY = os.path.abspath(sys.argv[1])
MIB = 1 << 20


def compare(*arguments):
    """One interleaved comparison of the build with itself: its exit status and its findings."""
    with tempfile.TemporaryDirectory() as folder:
        command = [BINARY, "compare", "--base", BINARY, "--head", BINARY, "--output", folder, "--quiet", *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1, 2):
            sys.exit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr}")
        with open(os.path.join(folder, os.listdir(folder)[0], "judgement.json")) as file:
            return done.returncode, json.load(file)["findings"]


def tally(name, outcomes):
    statuses = [status for status, _ in outcomes]
    findings = [finding for _, found in outcomes for finding in found]
    changed = [f for f in findings if f["verdict"] in ("regressed", "improved")]
    open_ones = [f for f in findings if f["verdict"] not in ("regressed", "improved", "unchanged")]
    print(
        f"{name}: {len(statuses)} checks: {statuses.count(1)} red, {statuses.count(0)} green, {statuses.count(2)} "
        f"without an answer; {len(changed)} of {len(findings)} case × metric called changed "
        f"({sum(f['verdict'] == 'improved' for f in changed)} improved), {len(open_ones)} open", flush=True)


def same(count):
    tally("same build", [
        compare("--asset", "256KiB", "--mode", "data,download,raw", "--render", "none", "--seed", str(seed))
        for seed in range(1, count + 1)])


def planted(percent, count):
    for mode in ("data", "download"):
        plan = ["--asset", "hero", "--mode", mode, "--render", "none"]
        _, findings = compare(*plan)
        peak = next(f["base"] for f in findings if f["metric"] == "peak_resident_bytes")
        size = int(max(peak * percent / 100, MIB)) if percent else 0
        plant = ["--plant", f"{size}"] if size else []
        outcomes = [compare(*plan, *plant, "--seed", str(seed)) for seed in range(1, count + 1)]
        effects = [
            f["effect"] for _, found in outcomes for f in found
            if f["metric"] == "peak_resident_bytes" and f.get("effect") is not None] or [0]
        tally(f"{mode}, {size / MIB:.2f} MiB planted on a peak of {peak / MIB:.1f} MiB", outcomes)
        print(f"    effects on the peak {min(effects):+.2%} … {max(effects):+.2%}, median {statistics.median(effects):+.2%}",
              flush=True)


for word in sys.argv[2:] or ["same:100", "planted:0:20", "planted:2:20", "planted:5:20"]:
    kind, *numbers = word.split(":")
    same(int(numbers[0])) if kind == "same" else planted(float(numbers[0]), int(numbers[1]))

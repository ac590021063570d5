#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what the limits of tests promise: peaks within 1 MiB of the planted size, alone, beside parallel tests and
beside two busy loops; a planted leak always red and a clean test always green.

Builds Examples/limits and runs its FigureTests, whose limits are 0, so that their failures report the figures.
Usage: Benchmarks/limit-bars.py [ROUNDS]
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

MEBIBYTE = 1.0
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "..", "Examples", "limits")
FIGURES = re.compile(r"fresh processes: ([0-9., ]+) MiB")
WAYS = [
    ("alone", "FigureTests", ["--no-parallel"], 0),
    ("beside parallel tests", "FigureTests|GreenTests", [], 0),
    ("beside two busy loops", "FigureTests", [], 2),
]


def issues(program, tests, flags):
    """The issues of a run as (test, case, text)."""
    with tempfile.TemporaryDirectory() as folder:
        events = os.path.join(folder, "events.jsonl")
        subprocess.run(
            [program, "--testing-library", "swift-testing", "--filter", tests, "--event-stream-output-path", events,
             "--event-stream-version", "0", *flags],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, cwd=PACKAGE)
        with open(events, encoding="utf-8") as file:
            payloads = [json.loads(line)["payload"] for line in file]
    if not any(payload.get("kind") == "runEnded" for payload in payloads):
        sys.exit("a run has no end")
    return [
        (payload["testID"].split("/")[0], payload.get("_testCase", {}).get("displayName", ""),
         "\n".join(message["text"] for message in payload["messages"]))
        for payload in payloads if payload.get("kind") == "issueRecorded" and not payload["issue"]["isKnown"]]


def measure(program, rounds, tests, flags):
    """The figures of each size, and the red rounds of each leak test; exits at any other issue."""
    figures, red = {}, {"leaking": 0, "clean": 0}
    for _ in range(rounds):
        for test, case, text in issues(program, tests, flags):
            name = test.split(".")[-1].removesuffix("()")
            found = FIGURES.search(text)
            if name in red and "bytes allocated" in text:
                red[name] += 1
            elif found and case:
                figures.setdefault(int(case), []).extend(float(word) for word in found[1].split(","))
            else:
                sys.exit(f"{test} {case}: {text}")
    return figures, red


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    subprocess.run(["swift", "build", "-c", "release", "--build-tests"], check=True, cwd=PACKAGE)
    program = os.path.join(PACKAGE, ".build", "release", "limitsPackageTests.xctest")
    good = True
    alone = {}
    for name, tests, flags, loops in WAYS:
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
        try:
            figures, red = measure(program, rounds, tests, flags)
        finally:
            for process in busy:
                process.kill()
                process.wait()
        for size, values in sorted(figures.items()):
            worst = max(values, key=lambda value: abs(value - size))
            middle = statistics.median(values)
            alone.setdefault(size, middle)
            right = len(values) == 3 * rounds and abs(worst - size) < MEBIBYTE and abs(middle - alone[size]) < MEBIBYTE
            good = good and right
            print(f"{name}: {size} MiB: {len(values)} processes, median {middle:.2f}, from {min(values):.2f} to "
                  f"{max(values):.2f} MiB: {'ok' if right else 'NOT WITHIN 1 MiB'}")
        right = len(figures) == 3 and red == {"leaking": rounds, "clean": 0}
        good = good and right
        print(f"{name}: leak of 64 B red {red['leaking']} of {rounds}, clean green {rounds - red['clean']} of {rounds}: "
              f"{'ok' if right else 'NOT'}", flush=True)
    sys.exit(0 if good else 1)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how often verdicts are right: one program in two files, in several arrangements, and planted growth.

Usage: Benchmarks/verdicts.py FETCHBENCH [--rebuilt PATH] [--dead-code PATH] [--client PATH] [--output FILE] CHECK [CHECK ...]

  --rebuilt     the fetchbench of a build of the same commit in another folder (Benchmarks/elsewhere makes it)
  --dead-code   the same with 8 MiB more unused code (Benchmarks/elsewhere makes it, too)
  --client      another program that fetches, called with a URL and a file (Benchmarks/elsewhere makes a static one)
  --output      where each finding is appended (default: results/verdicts.csv); comparisons made at commits with the same
                Sources are counted and continued, others are dropped

A CHECK is SUBJECT:ARRANGEMENT:N, after which the file has N comparisons of it; every second one has its sides exchanged.
SUBJECT is one of
  modes       data, download and stream of 256 KiB, by fetchbench itself
  hero        the same of a photo of 12.5 MiB, at 60 MiB/s
  scenario    twenty fetches of 256 KiB, five at once, with data and with stream
  commands    curl, wget and, if given, --client fetch 256 KiB, one after the other
  plain       sort, gzip and python3 do work of their own, one after the other
  plant=SIZE  hero, with SIZE held besides in the head while download fetches
  start=SIZE  hero, with SIZE held in the head before the warm-up
ARRANGEMENT is one of
  same        one file twice
  copy        a file and its copy
  dropped     a file and its copy, all caches dropped before, the copy read from its beginning to its end
  fresh       a file and its copy, all caches dropped before, the copy written anew
  tmpfs       a file and its copy on a tmpfs
  overlay     a file and its copy on an overlay
  rebuilt     a build and that of --rebuilt
  dead        a build and that of --dead-code
Dropping caches and mounting need root. It exits with 1 if a verdict was wrong.
"""
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
from published import is_moved, is_planted

COLUMNS = ["commit", "subject", "arrangement", "asset", "check", "program", "sides", "status", "case", "part", "metric", "unit", "verdict",
           "p", "change", "limit"]
MODES = ["--mode", "data,download,stream", "--render", "none"]
HERO = ["--asset", "hero", *MODES, "--rate", "60MiB"]
PLANS = {
    "modes": ["--asset", "256KiB", *MODES], "hero": HERO, "plant": HERO, "start": HERO,
    "scenario": ["--asset", "256KiB", "--mode", "data,stream", "--render", "none", "--scenario", "concurrency:5x2"],
}
# The arguments of each program; {file} and {url} are fetchbench's placeholders.
FETCHES = {"curl": "{0} -s -o {{file}} {{url}}", "wget": "{0} -q -O {{file}} {{url}}", "client": "{0} {{url}} {{file}}"}
WORK = {
    "sort": "{0} -S 8M {1}", "gzip": "{0} -c {1}",
    "python3": "{0} -c 'print(sum(len(line) for line in open(\"{1}\")))'",
}
OPTIONS = {"--output": str(ROOT / "results/verdicts.csv")}


def drop_caches():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")


def files(path):
    """The files of a program: the harness needs the trial programs beside it."""
    folder, name = os.path.split(path)
    beside = os.listdir(folder) if name == "fetchbench" else []
    return [path] + [os.path.join(folder, other) for other in beside if other.startswith("trial-") and "." not in other]


def read_whole(path):
    with open(path, "rb") as file:
        while file.read(1 << 20):
            pass


class Twin:
    """The same program in another file, placed by an arrangement."""

    def __init__(self, arrangement, program, folder):
        self.arrangement, self.folder = arrangement, folder
        self.original, self.mounted = program, None
        self.path = program
        if arrangement in ("rebuilt", "dead"):
            option = {"rebuilt": "--rebuilt", "dead": "--dead-code"}[arrangement]
            if option not in OPTIONS:
                sys.exit(f"verdicts: arrangement {arrangement} needs {option}")
            self.path = OPTIONS[option]
        elif arrangement != "same":
            self.path = os.path.join(self.place(), os.path.basename(program))
            self.copy()

    def place(self):
        place = os.path.join(self.folder, "copy")
        os.mkdir(place)
        if self.arrangement == "tmpfs":
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], check=True)
            self.mounted = place
        elif self.arrangement == "overlay":
            layers = [os.path.join(self.folder, name) for name in ("lower", "upper", "work")]
            for layer in layers:
                os.mkdir(layer)
            # The copy is in the lower layer, like a program of a container image.
            for file in files(self.original):
                shutil.copy(file, layers[0])
            options = "lowerdir={},upperdir={},workdir={}".format(*layers)
            subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, place], check=True)
            self.mounted = place
        return place

    def copy(self):
        if self.arrangement != "overlay":
            subprocess.run(["cp", *files(self.original), os.path.dirname(self.path)], check=True)

    def prepare(self):
        """Prepares each comparison."""
        if self.arrangement == "dropped":
            drop_caches()
            for file in files(self.path):
                read_whole(file)
        elif self.arrangement == "fresh":
            for file in files(self.path):
                os.remove(file)
            drop_caches()
            self.copy()

    def remove(self):
        if self.mounted:
            subprocess.run(["umount", self.mounted], check=True)


def compare(sides, *arguments):
    """One interleaved comparison: its exit status and its findings."""
    with tempfile.TemporaryDirectory() as folder:
        command = [BINARY, "compare", *sides, "--output", folder, "--quiet", *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1, 2):
            sys.exit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr}")
        with open(os.path.join(folder, os.listdir(folder)[0], "judgement.json")) as file:
            return done.returncode, json.load(file)["findings"]


def sides_of(subject, name, pair, text):
    """The flags for the two sides of a comparison."""
    if subject in PLANS:
        return ["--base", pair[0], "--head", pair[1]]
    words = FETCHES[name] if subject == "commands" else WORK[name]
    return [word for flag, path in zip(("--base-exec", "--head-exec"), pair) for word in (flag, words.format(path, text))]


def programs_of(subject):
    """The programs that are compared, by name."""
    if subject in PLANS:
        return [("fetchbench", BINARY)]
    names = FETCHES if subject == "commands" else WORK
    paths = [(name, OPTIONS.get("--client") if name == "client" else shutil.which(name)) for name in names]
    return [(name, os.path.realpath(path)) for name, path in paths if path]


def asset_of(subject):
    return {"plain": "text of 1 MiB", "commands": "256KiB"}.get(subject) or PLANS[subject][1]


def measured(rows, subject, arrangement, count, commit):
    """Comparisons until there are so many of this commit; yields the rows of each."""
    kind, _, size = subject.partition("=")
    there = {int(row["check"]) for row in rows if (row["subject"], row["arrangement"]) == (subject, arrangement)}
    programs = programs_of(kind)
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text")
        with open(text, "w") as file:
            file.writelines(f"{number * 7919 % 104729} a line of text\n" for number in range(50_000))
        twins = {}
        try:
            for number in range(1, count + 1):
                if number in there:
                    continue
                name, path = programs[number % len(programs)]
                if name not in twins:
                    own = os.path.join(folder, name)
                    os.mkdir(own)
                    twins[name] = Twin(arrangement, path, own)
                twin = twins[name]
                twin.prepare()
                # Memory is planted in the head, whose file is the twin and, every second time, the original.
                isExchanged = number // len(programs) % 2 == 1
                pair = [twin.path, twin.original] if isExchanged else [twin.original, twin.path]
                plan = [*PLANS.get(kind, ["--asset", "256KiB"] if kind == "commands" else [])]
                if size:
                    plan += ["--plant", f"{'download' if kind == 'plant' else 'start'}={size}"]
                status, findings = compare(sides_of(kind, name, pair, text), *plan, "--seed", str(number))
                yield [{
                    "commit": commit, "subject": subject, "arrangement": arrangement, "asset": asset_of(kind), "check": number,
                    "program": name, "sides": "exchanged" if isExchanged else "as named", "status": status,
                    "case": finding["case"].replace(folder, "FOLDER"),
                    **{key: finding.get(key, "") for key in COLUMNS if key in finding and key != "case"},
                } for finding in findings]
        finally:
            for twin in twins.values():
                twin.remove()


def wrong(rows):
    """Returns the error of one comparison: growth that is not there, or that was not found."""
    isRed = any(row["verdict"] == "regressed" for row in rows if is_planted(row))
    faults = ["planted growth was not found"] if any(map(is_planted, rows)) and not isRed else []
    return faults + [
        f"{row['verdict']}: {row['case']} {row['metric']} {float(row.get('change') or 0) / 1024:+.0f} KiB, limit "
        f"{float(row.get('limit') or 0) / 1024:.0f} KiB, p {row.get('p')}"
        for row in rows if not is_planted(row) and is_moved([row])]


def write(rows):
    with open(OPTIONS["--output"], "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def stored():
    """The stored findings that were made by the same sources."""
    if not os.path.exists(OPTIONS["--output"]):
        return []
    with open(OPTIONS["--output"], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    differ = ["git", "diff", "--quiet", "HEAD", "--", "Sources", "Package.swift"]
    same = {commit for commit in {row["commit"] for row in rows}
            if subprocess.run([*differ[:3], commit, *differ[3:]], cwd=ROOT, check=False).returncode == 0}
    return [row for row in rows if row["commit"] in same]


def parsed(words):
    """The checks of the command line; fills the options."""
    checks, words = [], list(words)
    while words:
        word = words.pop(0)
        if word in ("--rebuilt", "--dead-code", "--client", "--output"):
            OPTIONS[word] = os.path.abspath(words.pop(0))
            continue
        subject, arrangement, count = word.split(":")
        if subject.partition("=")[0] not in [*PLANS, "commands", "plain"]:
            sys.exit(f"verdicts: unknown subject '{subject}'\n\n{__doc__}")
        checks.append((subject, arrangement, int(count)))
    return checks


def main(checks):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    rows, faults = stored(), 0
    for subject, arrangement, count in checks:
        seen = 0
        for found in measured(rows, subject, arrangement, count, commit):
            rows += found
            write(rows)
            seen += 1
            for fault in wrong(found):
                faults += 1
                print(f"    {fault}", flush=True)
        print(f"{subject}, {arrangement}: {seen} comparisons", flush=True)
    return 1 if faults else 0


if len(sys.argv) < 3:
    sys.exit(__doc__)
# On SIGTERM, too, mounts and copies are removed.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
BINARY = os.path.abspath(sys.argv[1])
sys.exit(main(parsed(sys.argv[2:])))

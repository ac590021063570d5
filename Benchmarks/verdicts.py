#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how often verdicts are right: for one program in two files, in several arrangements, and for planted growth.

Usage: Benchmarks/verdicts.py PATH-OF-FETCHBENCH [--rebuilt PATH] [--dead-code PATH] [--client PATH] CHECK [CHECK ...]

  --rebuilt     the fetchbench of a build of the same commit in another folder (Benchmarks/elsewhere makes it)
  --dead-code   the same with 8 MiB more unused code (Benchmarks/elsewhere makes it, too)
  --client      another program that fetches, called with a URL and a file (Benchmarks/elsewhere makes a static one)

A CHECK is NAME:N or command-NAME:N, N comparisons in which only the file differs; every second one has its sides
exchanged. NAME is one of
  same      one file twice
  copy      a file and its copy
  dropped   a file and its copy, all caches dropped before, the copy read from its beginning to its end
  fresh     a file and its copy, all caches dropped before, the copy written anew
  tmpfs     a file and its copy on a tmpfs
  overlay   a file and its copy on an overlay
  rebuilt   a build and that of --rebuilt         dead      a build and that of --dead-code
NAME:N compares three modes of fetchbench itself, command-NAME:N curl and, if given, --client.
  planted:SIZE:N   N comparisons of three paced modes with --rebuilt, in whose download mode SIZE is planted
  start:SIZE:N     the same, planted before the warm-up
Dropping caches and mounting need root. It exits with 1 if a verdict was wrong.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

MODES = ["data", "download", "stream"]
SMALL = ["--asset", "256KiB", "--render", "none"]
HERO = ["--asset", "hero", "--render", "none", "--rate", "60MiB"]
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20}
wrong = 0


def compare(sides, *arguments):
    """One interleaved comparison: its exit status and its findings."""
    with tempfile.TemporaryDirectory() as folder:
        command = [BINARY, "compare", *sides, "--output", folder, "--quiet", *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1, 2):
            sys.exit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr}")
        with open(os.path.join(folder, os.listdir(folder)[0], "judgement.json")) as file:
            return done.returncode, json.load(file)["findings"]


def drop_caches():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")


def programs(path):
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
            self.path = OPTIONS[{"rebuilt": "--rebuilt", "dead": "--dead-code"}[arrangement]]
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
            for program in programs(self.original):
                shutil.copy(program, layers[0])
            options = "lowerdir={},upperdir={},workdir={}".format(*layers)
            subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, place], check=True)
            self.mounted = place
        return place

    def copy(self):
        if self.arrangement != "overlay":
            subprocess.run(["cp", *programs(self.original), os.path.dirname(self.path)], check=True)

    def prepare(self):
        """Prepares each comparison."""
        if self.arrangement == "dropped":
            drop_caches()
            for program in programs(self.path):
                read_whole(program)
        elif self.arrangement == "fresh":
            for program in programs(self.path):
                os.remove(program)
            drop_caches()
            self.copy()

    def remove(self):
        if self.mounted:
            subprocess.run(["umount", self.mounted], check=True)


def in_arrangement(name, program, count, sides, *arguments):
    """Comparisons of a program with its twin, the sides exchanged every second time."""
    with tempfile.TemporaryDirectory() as folder:
        twin = Twin(name, program, folder)
        try:
            outcomes = []
            for number in range(count):
                twin.prepare()
                pair = [twin.original, twin.path] if number % 2 == 0 else [twin.path, twin.original]
                outcomes.append(compare(sides(*pair), *arguments, "--seed", str(number + 1)))
            return outcomes
        finally:
            twin.remove()


def tally(name, outcomes):
    global wrong
    findings = [finding for _, found in outcomes for finding in found]
    verdicts = [finding["verdict"] for finding in findings]
    changed = verdicts.count("regressed") + verdicts.count("improved")
    open_ones = len(verdicts) - changed - verdicts.count("unchanged")
    shifts = [abs(finding["change"]) / 1024 for finding in findings if "change" in finding]
    statuses = [status for status, _ in outcomes]
    wrong += changed
    print(
        f"{name}: {len(outcomes)} checks: {statuses.count(1)} red, {verdicts.count('improved')} improved, "
        f"{open_ones} of {len(findings)} findings open; largest change seen {max(shifts, default=0):.0f} KiB", flush=True)
    for finding in findings:
        if finding["verdict"] != "unchanged":
            print(f"    {finding['verdict']}: {finding['case']} {finding['metric']} {finding.get('change', 0) / 1024:+.0f} "
                  f"KiB, limit {finding.get('limit', 0) / 1024:.0f} KiB, p {finding.get('p')}", flush=True)


def builds(base, head):
    return ["--base", base, "--head", head]


def own(name, count):
    plan = SMALL + ["--mode", ",".join(MODES)]
    tally(f"own program, {name}", in_arrangement(name, BINARY, count, builds, *plan))


def foreign(name, count):
    commands = [(shutil.which("curl"), lambda path: f"{path} -s -o {{file}} {{url}}")]
    if "--client" in OPTIONS:
        commands.append((OPTIONS["--client"], lambda path: f"{path} {{url}} {{file}}"))
    for program, words in commands:
        sides = lambda base, head: ["--base-exec", words(base), "--head-exec", words(head)]
        outcomes = in_arrangement(name, os.path.realpath(program), count, sides, "--asset", "256KiB")
        tally(f"command {os.path.basename(program)}, {name}", outcomes)


def planted(where, text, count):
    """Planted growth in one place of the head, another folder's build: found there and nowhere else."""
    global wrong
    size = int(text[:-3]) * UNITS[text[-3:]]
    expected = ("fetch_path", "hero/download/none/glibc") if where == "download" else ("start_and_warm_up", None)
    found, effects, elsewhere, named = 0, [], 0, 0
    for number in range(count):
        status, findings = compare(
            builds(BINARY, OPTIONS["--rebuilt"]), *HERO, "--mode", ",".join(MODES), "--plant", f"{where}={text}",
            "--seed", str(number + 1))
        own_findings = [f for f in findings if f["part"] == expected[0] and expected[1] in (None, f["case"])]
        red = [f for f in own_findings if f["verdict"] == "regressed"]
        found += status == 1 and bool(red)
        named += any(f["metric"] in ("net_peak_growth_bytes", "baseline_anonymous_bytes") for f in red)
        effects += [f["change"] / size - 1 for f in red]
        elsewhere += sum(f["verdict"] != "unchanged" for f in findings if f not in own_findings)
    spread = f"{min(effects):+.1%} … {max(effects):+.1%}" if effects else "none"
    wrong += count - found + elsewhere
    print(f"planted {text} in {where}: {found} of {count} red, {named} by the resident figure; effect off by {spread}; "
          f"{elsewhere} other findings not unchanged", flush=True)


def parse(words):
    options, checks, words = {}, [], list(words)
    while words:
        word = words.pop(0)
        if word in ("--rebuilt", "--dead-code", "--client"):
            options[word] = os.path.abspath(words.pop(0))
        else:
            checks.append(word.split(":"))
    return options, checks


if len(sys.argv) < 3:
    sys.exit(__doc__)
# On SIGTERM, too, mounts and copies are removed.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
BINARY = os.path.abspath(sys.argv[1])
OPTIONS, CHECKS = parse(sys.argv[2:])
for kind, *numbers in CHECKS:
    if kind in ("planted", "start"):
        planted("download" if kind == "planted" else "start", numbers[0], int(numbers[1]))
    elif kind.startswith("command-"):
        foreign(kind.removeprefix("command-"), int(numbers[0]))
    else:
        own(kind, int(numbers[0]))
sys.exit(1 if wrong else 0)

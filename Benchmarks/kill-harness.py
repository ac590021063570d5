#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills the harness (SIGKILL) at random instants and looks for leftovers: processes, temporary files, a secret planted in
URLs, headers and commands. Interrupted runs are resumed.

This script is a subreaper: orphans of any session or environment become its children, so none is overlooked.
Usage: Benchmarks/kill-harness.py PATH-OF-FETCHBENCH [--rounds N] [--seed N] [--only KIND,...] [--tests BINARY]
"""
import argparse
import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SECRET = "s3cr3t-7f1e"
# Seconds for leftovers to disappear: on a busy machine killing and reaping them all takes time.
PATIENCE = 10.0
PR_SET_CHILD_SUBREAPER = 36


class Kind:
    """A command of the harness to kill."""

    def __init__(self, name, arguments, resume=None, program=None):
        self.name, self.arguments, self.resume, self.program = name, arguments, resume, program
        self.duration = 0.0
        self.counts = {"rounds": 0, "killed": 0, "processes": 0, "files": 0, "secrets": 0, "resumed": 0, "failed": 0}
        self.slowest = 0.0


def kinds(binary, url, tests):
    """All kinds, each of which takes a few seconds."""
    trial = os.path.join(os.path.dirname(binary), "trial-raw")
    foreign = ["--url", f"{url}/bytes/256KiB?rate=unlimited&token={SECRET}", "--render", "none", "--quiet"]
    secret = ["--header", f"Authorization: Bearer {SECRET}"]
    fetch = ["--mode", "raw"] + foreign + secret
    # It leaves a process in another session, beside the measured one.
    left = f"""left=sh -c 'setsid sleep 600 & exec curl -s -o "$1" "$2"' sh {{file}} {{url}}"""
    sides = ["--base-program", trial, "--head-program", trial]
    stay = f"sh -c 'setsid sleep 600 & sleep 0.1; : {SECRET}'"
    found = [
        Kind("run", ["run", "--trials", "4"] + fetch, ["run"] + foreign[:2] + secret),
        Kind("run-command", ["run", "--trials", "3", "--exec", left] + foreign, ["run"] + foreign[:2] + ["--exec", left]),
        Kind("compare", ["compare", "--no-explain"] + sides + fetch, ["compare"] + sides + foreign[:2] + secret),
        Kind("exec", ["exec", "--quiet", "--trials", "3", "--prepare", stay, "--cleanup", stay, stay]),
        Kind("check", ["check", "--suite", "own.yml", "--no-baseline"] + foreign[:2] + secret,
             ["check", "--no-baseline"] + foreign[:2] + secret),
        Kind("explain", ["explain"] + fetch[:2] + foreign[:4] + secret),
    ]
    if tests:
        name = "MemProbeTests.MemoryLimitTraitTests/aLeakWithinItsLimitIsGreen"
        found.append(Kind("limit", ["--testing-library", "swift-testing", "--filter", name], program=tests))
    return found


def stat_of(process):
    """Parent and state of a process, or None."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            words = file.read().rpartition(")")[2].split()
        return int(words[1]), words[0]
    except (OSError, IndexError):
        return None


def left_processes(spared):
    """The living descendants of this script; reaps its zombie children."""
    parents = {int(name): stat_of(name) for name in os.listdir("/proc") if name.isdigit()}
    own, found = {os.getpid()}, []
    grown = True
    while grown:
        grown = False
        for process, known in parents.items():
            if known and process not in own and process not in spared and known[0] in own:
                own.add(process)
                grown = True
                if known[1] not in "ZX":
                    found.append(process)
                elif known[0] == os.getpid():
                    os.waitpid(process, os.WNOHANG)
    return found


def name_of(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")[:160] or f"[{process}]"
    except OSError:
        return f"[{process}]"


def files_with_secret(root):
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if SECRET in name:
                found.append(path)
                continue
            try:
                with open(path, "rb") as file:
                    if SECRET.encode() in file.read():
                        found.append(path)
            except OSError:
                pass
    return found


class Rounds:
    def __init__(self, options, cache, spared):
        self.options, self.cache, self.spared = options, cache, spared
        self.problems = []

    def start(self, kind, root, arguments):
        environment = {"PATH": os.environ["PATH"], "HOME": root + "/home", "TMPDIR": root + "/tmp",
                       "XDG_CACHE_HOME": self.cache, "LC_ALL": "C"}
        if "LD_LIBRARY_PATH" in os.environ:
            environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        return subprocess.Popen(
            [kind.program or self.options.binary] + arguments, cwd=root + "/work", env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(root + "/stderr", "wb"))

    @staticmethod
    def folder():
        root = tempfile.mkdtemp(prefix="kill-harness-")
        for name in ["work", "tmp", "home"]:
            os.mkdir(os.path.join(root, name))
        with open(root + "/work/own.yml", "w", encoding="utf-8") as file:
            file.write('modes: [raw]\nrenders: [none]\ntrials: 3\nbudgets: ["*/raw/*: growth <= 64 MiB"]\n')
        return root

    def measure(self, kind):
        """Measures the undisturbed duration; such a run has to succeed and leave nothing, too."""
        root = self.folder()
        begin = time.monotonic()
        status = self.start(kind, root, kind.arguments).wait(timeout=300)
        kind.duration = time.monotonic() - begin
        if status != 0:
            with open(root + "/stderr", encoding="utf-8", errors="replace") as file:
                sys.exit(f"{kind.name} ended with {status}: {file.read()[-800:]}")
        self.look(kind, root, "undisturbed")
        shutil.rmtree(root)

    def look(self, kind, root, when):
        begin = time.monotonic()
        while True:
            processes, files = left_processes(self.spared), os.listdir(root + "/tmp")
            lasted = time.monotonic() - begin
            if not processes and not files or lasted > PATIENCE:
                break
            time.sleep(0.01)
        kind.slowest = max(kind.slowest, lasted)
        secrets = files_with_secret(root + "/tmp") + files_with_secret(root + "/work")
        for count, found in [("processes", processes), ("files", files), ("secrets", secrets)]:
            kind.counts[count] += len(found)
        for process in processes:
            self.problems.append(f"{kind.name} {when}: process left: {name_of(process)}")
            os.kill(process, signal.SIGKILL)
        for path in files + secrets:
            self.problems.append(f"{kind.name} {when}: left: {path}")

    def round(self, kind, generator):
        root = self.folder()
        delay = generator.uniform(0, kind.duration)
        process = self.start(kind, root, kind.arguments)
        try:
            process.wait(timeout=delay)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kind.counts["killed"] += 1
        kind.counts["rounds"] += 1
        self.look(kind, root, f"killed after {delay:.3f} s")
        if kind.resume:
            self.finish(kind, root, delay)
        shutil.rmtree(root, ignore_errors=True)

    def finish(self, kind, root, delay):
        """Resumes what has begun, and expects success."""
        results = root + "/work/results"
        for name in sorted(os.listdir(results)) if os.path.isdir(results) else []:
            plan = os.path.join(results, name, "run.json")
            if not os.path.exists(plan):
                continue  # Killed before there was a plan to resume.
            with open(plan, encoding="utf-8") as file:
                complete = "finished_at" in json.load(file)
            status = self.start(kind, root, kind.resume + ["--resume", os.path.join(results, name)]).wait(timeout=300)
            with open(root + "/stderr", encoding="utf-8", errors="replace") as file:
                said = file.read()
            # A run that was killed after its last trial is complete: `run` refuses to resume it, `check` judges it again.
            if status == 0 or complete and status == 2:
                kind.counts["resumed"] += 1
            else:
                kind.counts["failed"] += 1
                self.problems.append(f"{kind.name} killed after {delay:.3f} s: --resume ended with {status}: {said[-300:]}")
            self.look(kind, root, "resumed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--tests", help="the built tests of the package, for limits in tests")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    cache = tempfile.mkdtemp(prefix="kill-harness-cache-")
    serve = subprocess.Popen(
        [options.binary, "serve", "--until-stdin-closes", "--rate", "unlimited"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env=os.environ | {"XDG_CACHE_HOME": cache}, text=True)
    try:
        chosen = [kind for kind in kinds(options.binary, serve.stdout.readline().strip(), options.tests)
                  if not options.only or kind.name in options.only.split(",")]
        rounds = Rounds(options, cache, {serve.pid})
        for kind in chosen:
            rounds.measure(kind)
        generator = random.Random(options.seed)
        for number in range(options.rounds):
            rounds.round(chosen[number % len(chosen)], generator)
    finally:
        serve.kill()
        serve.wait()
        shutil.rmtree(cache, ignore_errors=True)
    print("kind         takes  rounds  killed  processes  files  secrets  resumed  failed  slowest to be gone")
    for kind in chosen:
        counts = [kind.counts[name] for name in ["rounds", "killed", "processes", "files", "secrets", "resumed", "failed"]]
        print(f"{kind.name:11} {kind.duration:5.2f} s {counts[0]:6} {counts[1]:7} {counts[2]:10} {counts[3]:6} {counts[4]:8} "
              f"{counts[5]:8} {counts[6]:7} {kind.slowest:6.2f} s")
    for problem in rounds.problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if rounds.problems else 0)


if __name__ == "__main__":
    main()

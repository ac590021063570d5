#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The second opinion on the reported peaks: polls VmHWM of every trial of a running fetchbench from outside, every 0.5 ms.
"""usage: reference-sampler.py PID > readings.csv

PID is a running `fetchbench run`. Its trials are the children of its keepers, which are its own children. Of each, the
reading of VmHWM in /proc/PID/status is written whenever it changes, with the time on CLOCK_MONOTONIC, the clock of the
phases in trials.jsonl, and every 5 ms where it does not. It ends with the harness. It shares no code with fetchbench.
"""

import os
import sys
import time

INTERVAL_SECONDS = 0.0005
REPEAT_NANOSECONDS = 5_000_000


def parent_of(pid):
    with open(f"/proc/{pid}/stat", "rb") as file:
        # The name in parentheses may hold anything, so the fields are counted from its end.
        return int(file.read().rpartition(b")")[2].split()[1])


def is_trial(pid, harness):
    try:
        if parent_of(parent_of(pid)) != harness:
            return False
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().split(b"\0")[0] == b"trial"
    except (OSError, IndexError, ValueError):
        return False


def find_trial(harness):
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) > harness and is_trial(int(name), harness):
            return int(name)
    return None


def high_water_mark(file):
    for line in os.pread(file, 4096, 0).splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1]) * 1024
    return None


def follow(pid, out):
    try:
        file = os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    last, written = None, 0
    try:
        # Without Vm lines it is a zombie, and without a file it is gone.
        while (mark := high_water_mark(file)) is not None:
            now = time.monotonic_ns()
            if mark != last or now - written > REPEAT_NANOSECONDS:
                out.write(f"{pid},{now},{mark}\n")
                last, written = mark, now
            time.sleep(INTERVAL_SECONDS)
    except OSError:
        pass
    finally:
        os.close(file)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    harness = int(sys.argv[1])
    out = sys.stdout
    out.write("pid,time_ns,peak_resident_bytes\n")
    while is_alive(harness):
        trial = find_trial(harness)
        if trial is None:
            time.sleep(INTERVAL_SECONDS)
        else:
            follow(trial, out)
            out.flush()


main()

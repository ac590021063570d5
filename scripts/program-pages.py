#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The second opinion on program pages: adds up /proc/PID/smaps by itself.
"""usage: program-pages.py PID
       program-pages.py --environment WORD --count N --terminate

Prints a line `PID BYTES` for each process: what is resident of every file that it maps executable, in all mappings of
that file, less the pages that it has written to (Rss - Anonymous). Memory that only has a name (memfd, shared memory)
is no file. The second form waits until N processes have WORD in their environment and keep still, prints them, and ends
them by SIGTERM, the youngest first. It shares no code with fetchbench.
"""

import os
import re
import signal
import sys
import time

HEADER = re.compile(
    r"^[0-9a-f]+-[0-9a-f]+ (?P<flags>\S{4}) [0-9a-f]+ (?P<device>[0-9a-f]+:[0-9a-f]+) (?P<inode>\d+) *(?P<path>.*)$")
NAMED_MEMORY = ("/memfd:", "/dev/zero", "/SYSV")
PATIENCE_SECONDS = 30


def program_pages(pid):
    resident, executable, current = {}, set(), None
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as file:
        for line in file.read().splitlines():
            header = HEADER.match(line)
            if header:
                current = (header["device"], header["inode"])
                if header["inode"] == "0" or header["path"].startswith(NAMED_MEMORY):
                    current = None
                elif "x" in header["flags"]:
                    executable.add(current)
            elif current and line.startswith(("Rss:", "Anonymous:")):
                size = int(line.split()[1]) * 1024
                resident[current] = resident.get(current, 0) + (size if line.startswith("Rss:") else -size)
    return sum(size for key, size in resident.items() if key in executable)


def processes_with(word):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if word.encode() in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                pass
    return sorted(found)


def standing_still(word, count):
    deadline = time.monotonic() + PATIENCE_SECONDS
    last, since = None, time.monotonic()
    while time.monotonic() < deadline:
        try:
            now = {pid: program_pages(pid) for pid in processes_with(word)}
        except OSError:
            now = None
        if now != last:
            last, since = now, time.monotonic()
        elif last and len(last) == count and time.monotonic() - since > 0.5:
            return last
        time.sleep(0.05)
    sys.exit(f"program-pages.py: no {count} processes that keep still within {PATIENCE_SECONDS} s: {last}")


if len(sys.argv) == 2 and sys.argv[1].isdigit():
    print(sys.argv[1], program_pages(sys.argv[1]))
elif len(sys.argv) == 6 and (sys.argv[1], sys.argv[3], sys.argv[5]) == ("--environment", "--count", "--terminate"):
    found = standing_still(sys.argv[2], int(sys.argv[4]))
    for pid, size in found.items():
        print(pid, size, flush=True)
    for pid in reversed(found):
        os.kill(pid, signal.SIGTERM)
else:
    sys.exit(__doc__)

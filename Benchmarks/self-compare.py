#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `compare` answer for short commands?

    Benchmarks/self-compare.py BINARY [ROUNDS]

Twenty commands that take 1 ms to 1 s are compared with themselves, ROUNDS times each (default: 3): exit status 0 is right. Then
twenty commands are compared with ones that hold 2 % more: exit status 1 is right. Needs cc. Exit status 0 where all are right.
"""
import os
import subprocess
import sys
import tempfile

HOLD = r"""
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
// hold KIB MS: touches so much memory, waits, and ends.
int main(int count, char **words) {
    size_t size = count > 1 ? strtoul(words[1], 0, 10) << 10 : 0;
    char *memory = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 1, size);
    if (count > 2) usleep(strtoul(words[2], 0, 10) * 1000);
    return 0;
}
"""
SIZES = [4, 10, 20, 40, 100]
TIMES = [0, 3, 30, 1000]


def commands(folder):
    """Fifteen that hold a known size for a known time, and five programs that people run."""
    own = [f"{folder}/hold {size * 1024} {time}" for time in TIMES if time != 3 for size in SIZES]
    return own + [
        f"sort {folder}/words.txt", f"gzip -c {folder}/words.txt", "python3 -c 'print(sum(range(100000)))'",
        f"sh -c '{folder}/hold 20480 20 | {folder}/hold 10240 5'", f"sort {folder}/words.txt | uniq -c | sort -n",
    ]


def compare(binary, base, head, folder):
    done = subprocess.run(
        [binary, "compare", "--base-exec", base, "--head-exec", head, "--no-explain", "--quiet", "--output", folder],
        capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    binary, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/hold.c", "w") as file:
            file.write(HOLD)
        subprocess.run(["cc", "-O1", f"{folder}/hold.c", "-o", f"{folder}/hold"], check=True)
        with open(f"{folder}/words.txt", "w") as file:
            file.writelines(f"{index * 7919 % 100003} word\n" for index in range(100000))
        wrong = []
        same = [(command, command, 0) for command in commands(folder) for _ in range(rounds)]
        more = [
            (f"{folder}/hold {size * 1024} {time}", f"{folder}/hold {size * 1024 * 102 // 100} {time}", 1)
            for time in TIMES for size in SIZES]
        for name, pairs in (("with itself", same), ("with 2 % more", more)):
            right = 0
            for base, head, wanted in pairs:
                status, said = compare(binary, base, head, f"{folder}/results")
                right += status == wanted
                if status != wanted:
                    wrong.append((base.replace(folder + os.sep, ""), status, said))
            print(f"{name}: {right} of {len(pairs)}", flush=True)
        for command, status, said in wrong:
            print(f"--- {command}: exit status {status}\n{said}")
        sys.exit(1 if wrong else 0)


main()

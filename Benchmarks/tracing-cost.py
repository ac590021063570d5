#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much longer does a command take while `exec` traces it, and does the table say so?

    Benchmarks/tracing-cost.py BINARY     measures beside hyperfine, in turn, and writes results/tracing-cost.csv and the table
                                          in docs/peaks.md
    Benchmarks/tracing-cost.py --check    fails where the table is not that of the file

Needs cc and hyperfine. Exit status 0 where each time that is printed as one is at most a tenth above the true one.
"""
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "results", "tracing-cost.csv")
PAGE = os.path.join(ROOT, "docs", "peaks.md")
BEGIN, END = "<!-- tracing-cost: begin -->\n", "<!-- tracing-cost: end -->\n"
ROUNDS, RUNS = 6, 5
COLUMNS = ["command", "hyperfine_ns", "exec_ns", "tracing_ns", "shown_as"]

CHILDREN = r"""
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
    for (int left = atoi(words[1]); left > 0; left--) {
        pid_t child = vfork();
        if (child == 0) { execl("/bin/true", "true", (char *)0); _exit(1); }
        waitpid(child, 0, 0);
    }
    return 0;
}
"""
THREADS = r"""
#include <pthread.h>
#include <stdlib.h>
static void *nothing(void *word) { return word; }
int main(int count, char **words) {
    for (int left = atoi(words[1]); left > 0; left--) {
        pthread_t thread;
        pthread_create(&thread, 0, nothing, 0);
        pthread_join(thread, 0);
    }
    return 0;
}
"""
HOLD = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
    size_t size = strtoul(words[1], 0, 10) << 20;
    memset(malloc(size), 1, size);
    usleep(strtoul(words[2], 0, 10) * 1000);
    return 0;
}
"""
PART = """
#include <stdio.h>
#include <string.h>
int part{0}(int count) {{ char text[100]; for (int at = 0; at < count; at++) snprintf(text, 100, "%d %s", at, strerror(at));
return (int)strlen(text) + {0}; }}
"""


def commands(folder):
    """A name and the words of each command."""
    for name, source in [("children", CHILDREN), ("threads", THREADS), ("hold", HOLD)]:
        path = f"{folder}/{name}"
        with open(path + ".c", "w") as file:
            file.write(source)
        subprocess.run(["cc", "-O1", path + ".c", "-o", path, "-lpthread"], check=True)
    parts = []
    for index in range(20):
        parts.append(f"{folder}/part{index}.c")
        with open(parts[-1], "w") as file:
            file.write(PART.format(index))
    with open(f"{folder}/words.txt", "w") as file:
        file.writelines(f"{index * 7919 % 1000003} word\n" for index in range(500000))
    return [
        ("`true`", "true"), ("1,000 children, one after another", f"{folder}/children 1000"),
        ("2,000 threads, one after another", f"{folder}/threads 2000"),
        ("20 C files, compiled by one `cc`", f"cc -O2 -c {' '.join(parts)}"),
        ("50 MiB for 100 ms", f"{folder}/hold 50 100"), ("`sort` of 6 MB", f"sort {folder}/words.txt"),
    ]


def natively(command, folder):
    """The times of hyperfine in nanoseconds."""
    path = f"{folder}/times.json"
    subprocess.run(
        ["hyperfine", "-N", "--warmup", "1", "--runs", str(RUNS), "--style", "none", "--export-json", path, command],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    with open(path) as file:
        return [time * 1e9 for time in json.load(file)["results"][0]["times"]]


def traced(binary, command, folder):
    """The times of `exec` in nanoseconds, and its estimates of what tracing added."""
    done = subprocess.run(
        [binary, "exec", "--no-shell", "--warmup", "1", "--trials", str(RUNS), "--format", "commands", command],
        check=True, capture_output=True, text=True, cwd=folder)
    figures = [trial["figures"] for trial in json.loads(done.stdout)["commands"][0]["trials"]]
    return [one["duration_ns"] for one in figures], [one["tracing_ns"] for one in figures]


def measured(binary):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, command in commands(folder):
            plain, seen, added = [], [], []
            for _ in range(ROUNDS):
                plain += natively(command, folder)
                times, delays = traced(binary, command, folder)
                seen += times
                added += delays
            median = statistics.median(seen)
            marked = statistics.median(added) > 0.05 * median
            rows.append([name, round(statistics.median(plain)), round(median), round(statistics.median(added)),
                         "at most" if marked else "time"])
            print(*rows[-1], sep="\t", flush=True)
    return rows


def table(rows):
    lines = ["| command | hyperfine ms | `exec` ms | ratio | estimate of what tracing added, ms | shown as |", "|---|---|---|---|---|---|"]
    for name, plain, seen, added, shown in rows:
        plain, seen, added = int(plain), int(seen), int(added)
        mark = "≤ " if shown == "at most" else ""
        lines.append(f"| {name} | {plain / 1e6:.1f} | {seen / 1e6:.1f} | {seen / plain:.2f} | {added / 1e6:.1f} "
                     f"| {mark}{seen / 1e6:.1f} |")
    return "\n".join(lines) + "\n"


def page_with(text):
    with open(PAGE) as file:
        before, rest = file.read().split(BEGIN)
    return before + BEGIN + text + END + rest.split(END)[1]


def stored():
    with open(TABLE, newline="") as file:
        return list(csv.reader(file))[1:]


def main():
    if sys.argv[1:] == ["--check"]:
        with open(PAGE) as file:
            if file.read() == page_with(table(stored())):
                return 0
        print("tracing-cost: the table in docs/peaks.md is not that of results/tracing-cost.csv", file=sys.stderr)
        return 1
    rows = measured(os.path.abspath(sys.argv[1]))
    with open(TABLE, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS] + rows)
    page = page_with(table(rows))
    with open(PAGE, "w") as file:
        file.write(page)
    wrong = [row[0] for row in rows if row[4] == "time" and row[2] > 1.1 * row[1]]
    if wrong:
        print("more than a tenth too long, and not marked:", ", ".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

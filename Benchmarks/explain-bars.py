#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `explain` name the user's own functions, with their lines and sizes, in Swift, C++, Rust and C?

    Benchmarks/explain-bars.py BINARY [ROUNDS]

Compiles programs whose functions fill containers of known sizes, each with and without optimisation, and explains them
ten times each. A size is right within 1 %, and within a tenth where a burst was freed and its memory kept. Exit status 0
where each function was named with its line and size each time. Needs swiftc and g++; without rustc, Rust is left out.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

MEBIBYTE = 1 << 20
SWIFT = """
import Glibc
@inline(never) func loadArray() -> [Int] { var all: [Int] = []; for i in 0..<2_097_152 { all.append(i) }; return all }
@inline(never) func loadText() -> [String] {
    (0..<20_000).map { String(repeating: "x", count: 100 + $0 % 2) }
}
@inline(never) func loadTable() -> [Int: Int] { var all: [Int: Int] = [:]; for i in 0..<700_000 { all[i] = i }; return all }
@inline(never) func loadSet() -> Set<Int> { var all: Set<Int> = []; for i in 0..<700_000 { all.insert(i) }; return all }
let all = (loadArray(), loadTable(), loadSet(), loadText())
usleep(20_000)
print(all.0.count + all.1.count + all.2.count + all.3.count)
"""
CPP = """
#include <cstdio>
#include <map>
#include <string>
#include <vector>
#define OWN __attribute__((noinline))
OWN std::vector<long> loadVector() { std::vector<long> all; for (long i = 0; i < 2097152; i++) all.push_back(i); return all; }
OWN std::map<long, long> loadMap() { std::map<long, long> all; for (long i = 0; i < 133000; i++) all[i] = i; return all; }
OWN std::string loadString() { std::string all; all.reserve(9000000); all.append(9000000, 'x'); return all; }
int main() {
    auto vector = loadVector();
    auto map = loadMap();
    auto string = loadString();
    std::printf("%zu\\n", vector.size() + map.size() + string.size());
}
"""
RUST = """
use std::collections::HashMap;
#[inline(never)] fn load_string() -> String { let mut all = String::new(); for _ in 0..1_048_576 { all.push_str("abcdefgh"); } all }
#[inline(never)] fn load_vector() -> Vec<u64> { let mut all = Vec::new(); for i in 0..2_097_152 { all.push(i); } all }
#[inline(never)] fn load_table() -> HashMap<u64, u64> {
    let mut all = HashMap::with_capacity(900_000);
    for i in 0..900_000 { all.insert(i, i); }
    all
}
fn main() {
    let all = (load_string(), load_vector(), load_table());
    println!("{}", all.0.len() + all.1.len() + all.2.len());
}
"""
BURST = """
#include <stdlib.h>
#include <string.h>
static char more[3 << 20];
__attribute__((noinline)) static void *arm_timer(void *next) { void **timer = malloc(112); memset(timer, 1, 112); *timer = next; return timer; }
int main(void) {
    void **first = 0;
    for (int i = 0; i < 110000; i++) { free(memset(malloc(16384), 2, 16384)); first = arm_timer(first); }
    while (first) { void **next = *first; free(first); first = next; }
    memset(more, 1, sizeof more);
    return 0;
}
"""
# The bytes that each function asks for: whole containers, with the tables' control words.
PROGRAMS = [
    ("Swift", "swift", SWIFT, ["swiftc"], [["-O", "-g"], ["-Onone", "-g"]],
     {"loadArray": 16 * MEBIBYTE, "loadTable": 16 * MEBIBYTE + MEBIBYTE // 8, "loadSet": 8 * MEBIBYTE + MEBIBYTE // 8}),
    ("C++", "cc", CPP, ["g++"], [["-O2", "-g"], ["-O0", "-g"]],
     {"loadVector": 16 * MEBIBYTE, "loadMap": 133000 * 48, "loadString": 9000000}),
    ("Rust", "rs", RUST, ["rustc"], [["-O", "-g"], ["-O", "-g", "-Csymbol-mangling-version=v0"]],
     {"load_vector": 16 * MEBIBYTE, "load_table": (1 << 20) * 17, "load_string": 8 * MEBIBYTE}),
    ("C, a burst", "c", BURST, ["cc"], [["-O1", "-g"]], {"arm_timer": 110000 * 112}),
]


def held(profile, function):
    """The bytes of rows whose innermost own frame is a function, and whether all of these have a line."""
    frames = profile["frames"]
    rows = []
    for holder in profile["holders"]:
        own = [frames[place] for place in holder["stack"] if not frames[place]["isSystem"]]
        if own and function in own[0]["function"]:
            rows.append((holder, own[0]))
    live = [row for row in rows if row[0]["state"] == "live"] or rows
    return sum(row[0]["bytes"] for row in live), all(row[1].get("line") for row in live)


def explained(binary, program, allocator, folder):
    ended = subprocess.run(
        [binary, "explain", "--exec", f"a={program}", "--allocator", allocator, "--format", "json"],
        capture_output=True, text=True, cwd=folder, check=False)
    if ended.returncode != 0:
        sys.exit(f"{program}: {ended.stderr}")
    return json.loads(ended.stdout)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name, suffix, source, compiler, variants, sizes in PROGRAMS:
            if not shutil.which(compiler[0]):
                print(f"{name}: {compiler[0]} is not installed")
                continue
            path = os.path.join(folder, "program." + suffix)
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
            for flags in variants:
                program = os.path.join(folder, "program")
                subprocess.run(compiler + flags + [path, "-o", program], check=True, cwd=folder, capture_output=True)
                for allocator in ("glibc", "jemalloc"):
                    profiles = [explained(binary, program, allocator, folder) for _ in range(rounds)]
                    for function, size in sizes.items():
                        found = [held(profile, function) for profile in profiles]
                        tolerance = 0.1 if function == "arm_timer" else 0.01
                        right = sum(lined and abs(size_found - size) <= tolerance * size for size_found, lined in found)
                        shown = sorted(size_found / MEBIBYTE for size_found, _ in found)
                        good = good and right == rounds
                        print(f"{name} {' '.join(flags)}, {allocator}: {function} {size / MEBIBYTE:.2f} MiB: "
                              f"{shown[0]:.2f} to {shown[-1]:.2f}, right {right} of {rounds}", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

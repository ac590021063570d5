#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what fetchbench promises about itself, and prints each figure beside its bar.

Usage: Benchmarks/bars.py PATH-OF-FETCHBENCH [NAME ...]
"""
import contextlib
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20
BINARY = os.path.abspath(sys.argv[1])
SPIKE = os.path.join(os.path.dirname(BINARY), "memprobe-fixture")
results = []


def report(name, figure, bar, met):
    results.append(met)
    print(f"{'met   ' if met else 'MISSED'}  {name}: {figure}  (bar: {bar})", flush=True)


def run(*arguments, watch=None):
    """Runs a plan and returns the rows of its trials.csv."""
    with tempfile.TemporaryDirectory() as folder:
        command = [BINARY, "run", "--output", folder, "--quiet", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if watch:
            watch(process.pid)
        complaint = process.communicate()[1]
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with {process.returncode}: {complaint}")
        with open(os.path.join(folder, os.listdir(folder)[0], "trials.csv"), newline="") as file:
            return list(csv.DictReader(file))


def figures(rows, column, mode, render="none"):
    return [float(row[column]) for row in rows if row["mode"] == mode and row["render"] == render]


def mebibytes(values):
    return f"{min(values) / MIB:.2f} … {max(values) / MIB:.2f} MiB"


def executable_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return None


def ballast():
    with_it = run("--mode", "none", "--trials", "15", "--ballast", "300MiB")
    without = run("--mode", "none", "--trials", "15")
    medians = [statistics.median(figures(rows, "baseline_resident_bytes", "none")) for rows in (with_it, without)]
    moved = abs(medians[0] - medians[1]) / MIB
    report("harness holds 300 MiB: the null case's resident size moves by", f"{moved:.3f} MiB", "< 0.5 MiB", moved < 0.5)


def growth():
    rows = run("--asset", "64MiB", "--mode", "data,download,stream,raw", "--render", "none", "--trials", "5")
    column = "peak_resident_growth_bytes"
    ratios = [value / (64 * MIB) for value in figures(rows, column, "data")]
    report("64 MiB, glibc, data", f"{min(ratios):.3f} … {max(ratios):.3f} × size", "1.95–2.2", 1.95 <= min(ratios) and max(ratios) <= 2.2)
    for mode, bar in (("download", 6), ("stream", 8), ("raw", 1.5)):
        values = figures(rows, column, mode)
        report(f"64 MiB, glibc, {mode}", mebibytes(values), f"<= {bar} MiB", max(values) <= bar * MIB)


def rendering():
    rows = run("--asset", "hero", "--mode", "data,download,stream,raw", "--render", "none,imageview,thumbnail", "--trials", "5")
    encoded = max(int(row["asset_bytes"] or 0) for row in rows)
    bitmap = 6000 * 4000 * 4
    thumbnail = 1170 * 780 * 4 + 1500 * 1000 * 4
    column = "render_peak_anonymous_growth_bytes"
    for mode in ("data", "download", "stream", "raw"):
        on_heap = encoded if mode == "data" else 0
        off = [(value - bitmap - on_heap) / MIB for value in figures(rows, column, mode, "imageview")]
        report(f"hero, imageview, {mode}: anonymous − bitmap − encoded on the heap", f"median {statistics.median(off):+.2f} ({min(off):+.2f} … {max(off):+.2f}) MiB", "within 1 MiB", abs(statistics.median(off)) <= 1)
        held = statistics.median(figures(rows, "hold_peak_anonymous_growth_bytes", mode, "none"))
        over = [(value - held - thumbnail) / MIB for value in figures(rows, column, mode, "thumbnail")]
        report(f"hero, thumbnail, {mode}: anonymous − bitmap and DCT step − what the fetch holds", f"median {statistics.median(over):+.2f} ({min(over):+.2f} … {max(over):+.2f}) MiB", "<= 1 MiB", statistics.median(over) <= 1)


def raw_sizes():
    rows = run("--asset", "16MiB,1GiB", "--mode", "raw", "--render", "none", "--trials", "5", "--rate", "unlimited")
    peaks = {}
    for row in rows:
        if row["mode"] == "raw":
            peaks.setdefault(row["asset"], []).append(float(row["peak_resident_growth_bytes"]))
    apart = abs(statistics.median(peaks["1GiB"]) - statistics.median(peaks["16MiB"])) / MIB
    report("raw, 1 GiB against 16 MiB: peaks apart by", f"{apart:.3f} MiB", "<= 0.5 MiB", apart <= 0.5)


def variation():
    rows = run("--asset", "hero", "--mode", "data,download,stream,raw", "--render", "none", "--trials", "20")
    for mode, bar in (("data", 0.3), ("download", 1.2), ("raw", 1.0), ("stream", None)):
        peaks = figures(rows, "peak_resident_bytes", mode)
        cv = statistics.stdev(peaks) / statistics.mean(peaks) * 100
        report(f"CV of the peak, 20 paced trials, {mode}", f"{cv:.3f} %", f"<= {bar} %" if bar else "reported", bar is None or cv <= bar)


@contextlib.contextmanager
def origin(*arguments):
    """The address of an origin that is stopped at the end."""
    process = subprocess.Popen([BINARY, "serve", *arguments], stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def throughput():
    size = 1 << 30
    ratios, speeds = [], []
    with origin("--rate", "unlimited") as base:
        url = base + "/bytes/1GiB?seed=1"
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, "body")
            def raw():
                rows = run("--url", url, "--mode", "raw", "--render", "none", "--trials", "1", "--verify", "length")
                return size / (figures(rows, "fetch_duration_ns", "raw")[0] / 1e9)

            def curl():
                seconds = subprocess.run(
                    ["curl", "-s", "-o", target, "-w", "%{time_total}", url], capture_output=True, text=True, check=True)
                os.unlink(target)
                return size / float(seconds.stdout)

            for round in range(10):
                first, second = (raw(), curl()) if round % 2 else (curl(), raw())
                ours, theirs = (first, second) if round % 2 else (second, first)
                ratios.append(ours / theirs)
                speeds.append((ours, theirs))
    ours, theirs = (statistics.median(pair[side] for pair in speeds) / MIB for side in (0, 1))
    report("raw, unpaced 1 GiB to a file ÷ curl -o, 10 pairs, who is first in turn", f"median {statistics.median(ratios):.2f} ({min(ratios):.2f} … {max(ratios):.2f}); {ours:.0f} and {theirs:.0f} MiB/s", ">= 0.9", statistics.median(ratios) >= 0.9)


def flatness():
    sizes, descriptors = [], []

    def poll(pid):
        def body():
            while True:
                try:
                    with open(f"/proc/{pid}/status") as file:
                        sizes.append(next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1024)
                    descriptors.append(len(os.listdir(f"/proc/{pid}/fd")))
                except (OSError, StopIteration):
                    return
                time.sleep(0.1)

        threading.Thread(target=body, daemon=True).start()

    before = sum(pid.isdigit() and executable_of(pid) == os.path.realpath(BINARY) for pid in os.listdir("/proc"))
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["TMPDIR"] = temporary
        rows = run("--asset", "64KiB", "--mode", "raw", "--render", "none", "--trials", "150", watch=poll)
        del os.environ["TMPDIR"]
        left = os.listdir(temporary)
    # Without the first tenth (preparing the plan) and the end (writing the report).
    steady = sizes[len(sizes) // 10:-5]
    spread = max(steady) - min(steady)
    report(f"harness over {len(rows)} trials: resident size spans", f"{spread / MIB:.2f} MiB", "± 2 MiB", spread <= 4 * MIB)
    # The most of each half: within a trial there are a dozen more than between two.
    half = len(descriptors) // 2
    early, late = max(descriptors[:half]), max(descriptors[half:])
    report("harness: most descriptors early and late", f"{early} and {late}", "no more", late - early <= 4)
    report("harness: temporary files left", len(left), "0", not left)
    time.sleep(0.5)
    running = [pid for pid in os.listdir("/proc") if pid.isdigit() and executable_of(pid) == os.path.realpath(BINARY)]
    report("harness: its processes left", len(running) - before, "0", len(running) <= before)


def overhead():
    with origin() as base:
        with tempfile.TemporaryDirectory() as folder:
            document = lambda mode: json.dumps({
                "version": 1, "mode": mode, "render": "none", "warmupURL": f"{base}/bytes/1KiB?rate=unlimited",
                "url": f"{base}/bytes/64KiB", "warmsTarget": False, "directory": folder, "verification": "sha256",
                "idleTimeoutSeconds": 65, "seed": 1, "plantedByteCount": 0,
                "rendering": {"viewWidth": 1170, "viewHeight": 2532, "maximumPixels": 100000000, "maximumEncodedBytes": 200000000}})
            bare = 0
            for mode in ("none", "raw"):
                walls = []
                for _ in range(20):
                    start = time.monotonic()
                    answer = subprocess.run(
                        [os.path.join(os.path.dirname(BINARY), "trial-raw")], input=document(mode), text=True, capture_output=True, check=True).stdout
                    walls.append(time.monotonic() - start)
                    if "failure" in json.loads(answer):
                        sys.exit(f"the bare trial of {mode} failed: {answer}")
                bare += statistics.median(walls) / 2
        few, many = 5, 45
        walls = []
        for trials in (few, many):
            start = time.monotonic()
            run("--url", f"{base}/bytes/64KiB", "--mode", "raw", "--render", "none", "--trials", str(trials))
            walls.append(time.monotonic() - start)
        # Each round has two cases, the null case and raw: the mean of both, as in the bare figure.
        each = (walls[1] - walls[0]) / (many - few) / 2
    extra = (each - bare) * 1000
    report("a trial's wall time over the bare child's", f"{extra:+.1f} ms ({bare * 1000:.0f} ms bare)", "<= 60 ms", extra <= 60)


def spike():
    errors = []
    for _ in range(100):
        answer = subprocess.run([SPIKE, "spike", str(64 * MIB)], capture_output=True, text=True, check=True).stdout
        fields = dict(line.split(" ", 1) for line in answer.splitlines())
        errors.append(abs(int(fields["truth"]) - int(fields["peak"])) / 1024)
    report("spike of 64 MiB held 1 ms, 100 times: |reported − truth|", f"at most {max(errors):.0f} KiB", "<= 512 KiB", max(errors) <= 512)


def exec_overhead():
    """The time that `exec` adds to each run, without its own start and end, compared with a command started by this script."""
    few, many, times, alone = 10, 110, [], []
    for _ in range(3):
        walls = []
        for runs in (few, many):
            start = time.monotonic()
            subprocess.run([BINARY, "exec", "--trials", str(runs), "true"], capture_output=True, check=True)
            walls.append(time.monotonic() - start)
        times.append((walls[1] - walls[0]) / (many - few) * 1000)
        start = time.monotonic()
        for _ in range(many - few):
            subprocess.run(["true"])
        alone.append((time.monotonic() - start) / (many - few) * 1000)
    each, own = statistics.median(times), statistics.median(alone)
    report("what exec adds to a run of true", f"{each - own:.1f} ms ({own:.1f} ms alone)", "<= 5 ms", each - own <= 5)


if __name__ == "__main__":
    bars = {f.__name__: f for f in (
        spike, ballast, growth, rendering, raw_sizes, variation, throughput, flatness, overhead, exec_overhead)}
    for name in sys.argv[2:] or bars:
        bars[name]()
    sys.exit(0 if all(results) else 1)

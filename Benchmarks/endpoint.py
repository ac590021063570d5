#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `fetchbench endpoint` find what servers are known to hold?

    Benchmarks/endpoint.py FETCHBENCH [truths[:FILE]] [slopes] [compare[:ROUNDS]] [overhead]

truths    peak growth of servers whose memory is known, within max(2 %, 256 KiB) in each of ten trials, quiet and beside two
          busy loops: an own C server (alone and with three workers), Python's http.server, nginx as file server and as proxy;
          where Examples/server is built, its routes to the nearest copy; FILE gets the quiet ones (results/servers.csv)
slopes    an own server that keeps 4 KiB, 64 KiB and 1 MiB a request, 200 requests: the slope within 1 %
compare   a server compared with itself is not red (20 rounds), and one that holds an upload is red
overhead  time of a trial over that of its server's start and its requests, made by a client of its own: at most 60 ms

Needs cc, nginx and python3. Exit status 0 where all bars are met.
"""
import csv
import glob
import os
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HUMMINGBIRD = os.path.join(os.path.dirname(HERE), "Examples", "server", ".build", "release", "server")
MEBIBYTE = 1 << 20
SIZE = 64 * MEBIBYTE
TRIALS = 10
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log stderr crit; user root;
events {{}}
http {{
    access_log off; sendfile on;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{
        listen 127.0.0.1:PORT; root {folder};
        location /proxy/ {{
            proxy_pass ORIGIN/; proxy_buffering on; proxy_max_temp_file_size 0;
            proxy_buffer_size 4k; proxy_buffers 64 64k; proxy_busy_buffers_size 128k;
        }}
    }}
}}
"""
START = 'sed "s|PORT|$1|; s|ORIGIN|$2|" {folder}/nginx.conf > {folder}/nginx-$1.conf; exec nginx -c {folder}/nginx-$1.conf'
# One buffer for the head of the upstream's answer and 64 for its body.
PROXY_BUFFERS = 64 * 65536 + 4096


class Fault(Exception):
    pass


def prepare(folder):
    subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-pthread", f"{HERE}/servers/kept.c", "-o", f"{folder}/kept"], check=True)
    with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
        file.write(NGINX.format(folder=folder))
    with open(f"{folder}/nginx.sh", "w", encoding="utf-8") as file:
        file.write(START.format(folder=folder))
    for name, size in (("big", SIZE), ("small", 1024)):
        with open(f"{folder}/{name}", "wb") as file:
            file.write(os.urandom(size))


def rows(binary, servers, flags, folder):
    """The trials of a run of servers, each with its request."""
    with tempfile.TemporaryDirectory(dir=folder) as output:
        words = [word for text in servers for word in ("--server", text)]
        done = subprocess.run(
            [binary, "run", *words, *flags, "--output", output, "--quiet"], capture_output=True, text=True)
        found = glob.glob(f"{output}/*/trials.csv")
        if done.returncode != 0 or len(found) != 1:
            raise Fault(f"{flags}: status {done.returncode}: {done.stdout[-500:]}{done.stderr[-2000:]}")
        with open(found[0], encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


def groups(folder):
    """Servers with the flags of their requests, and what a request in flight holds: bytes, and by how much they may differ."""
    own, forked = f"{folder}/kept {{port}}", f"{folder}/kept {{port}} 3"
    python = f"python3 {HERE}/servers/server.py {{port}}"
    nginx = f"sh {folder}/nginx.sh {{port}} {{origin}}"
    every, slow = ["--concurrency", "1,3"], ["--client-rate", "32MiB"]
    found = [
        (every, {
            f"whole=GET /whole/{SIZE} warmup=/whole/1024 : {own}": SIZE,
            f"pieces=GET /pieces/{SIZE} : {own}": 0,
            f"collected=POST / body=64MiB : {own}": SIZE,
            f"workers=GET /whole/{SIZE} warmup=/whole/1024 : {forked}": SIZE,
            f"python=GET /whole/64MiB warmup=/whole/1KiB : {python}": SIZE,
            f"python-pieces=GET /pieces/64MiB : {python}": 0,
        }, None),
        (slow, {f"slow-whole=GET /whole/{SIZE} warmup=/whole/1024 : {own}": SIZE}, None),
        (every + slow, {
            f"nginx-file=GET /big warmup=/small : {nginx}": 0,
            f"nginx-proxy=GET /proxy/64MiB warmup=/proxy/1KiB : {nginx}": PROXY_BUFFERS,
        }, None),
    ]
    if os.path.exists(HUMMINGBIRD):
        server = f"{HUMMINGBIRD} {{port}} {folder} {{origin}}"
        # To the nearest copy: a framework has buffers and threads of its own.
        found.append((["--concurrency", "1"], {
            f"hummingbird-file=GET /file/big warmup=/file/small : {server}": 0,
            f"hummingbird-collected=POST /collected body=64MiB : {server}": SIZE,
            f"hummingbird-counted=POST /counted body=64MiB : {server}": 0,
            f"hummingbird-stream=GET /stream/64MiB warmup=/stream/1KiB : {server}": 0,
            f"hummingbird-data=GET /data/64MiB warmup=/data/1KiB : {server}": 2 * SIZE,
        }, SIZE / 2))
    return found


def truths(binary, folder, output):
    """Measures all groups, quiet and beside two busy loops; the quiet ones are written to a file."""
    good, written = True, []
    for loops in (0, 2):
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
        try:
            for flags, servers, tolerance in groups(folder):
                expected = {text.split("=")[0]: held for text, held in servers.items()}
                found = {}
                for row in rows(binary, servers, [*flags, "--trials", str(TRIALS)], folder):
                    count = int(row["concurrency"])
                    found.setdefault((row["mode"], count, expected[row["mode"]] * count), []).append(row)
                for (name, count, truth), trials in found.items():
                    values = [int(row["peak_resident_growth_bytes"]) for row in trials if row["outcome"] == "completed"]
                    bound = tolerance or max(0.02 * truth, 256 * 1024)
                    within = sum(abs(value - truth) <= bound for value in values)
                    good = good and within == TRIALS == len(trials)
                    print(
                        f"{'beside two loops' if loops else 'quiet':16} {name:21} × {count}  truth {truth / MEBIBYTE:7.2f}  "
                        f"{min(values) / MEBIBYTE:7.2f} to {max(values) / MEBIBYTE:7.2f} MiB  {within} of {len(trials)}", flush=True)
                    sockets = [int(row["charged_sockets_bytes"]) for row in trials if row["charged_sockets_bytes"]]
                    written += [] if loops else [[
                        name, count, trials[0]["client_bytes_per_second"], len(values), truth, int(statistics.median(values)),
                        min(values), max(values), int(statistics.median(sockets)) if sockets else ""]]
        finally:
            for process in busy:
                process.kill()
                process.wait()
    if output:
        with open(output, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["server", "requests_in_flight", "client_bytes_per_second", "trials", "truth_bytes", "growth_bytes",
                             "growth_low_bytes", "growth_high_bytes", "sockets_bytes"])
            writer.writerows(sorted(written, key=lambda row: (row[0], row[1])))
    return good


def slopes(binary, folder):
    found = rows(
        binary, [f"keep=GET /keep/{{size}} : {folder}/kept {{port}}"],
        ["-L", "size=4096,65536,1048576", "--scenario", "requests:200", "--trials", "3", "--memory-limit", "1GiB"], folder)
    good = len(found) == 9
    for row in sorted(found, key=lambda row: int(row["parameters"].removeprefix("size="))):
        size, left = int(row["parameters"].removeprefix("size=")), float(row["left_slope_bytes"] or "nan")
        good = good and abs(left / size - 1) <= 0.01
        print(f"keeps {size:8} B a request: slope {left:.1f}", flush=True)
    return good


def compare(binary, folder, rounds):
    """Whether a comparison with itself is green each time, and red where the other server holds the upload."""
    def status(base, head, request):
        done = subprocess.run(
            [binary, "compare", "--base-server", base, "--head-server", head, *request, "--no-explain", "--quiet",
             "--output", f"{folder}/compared"], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    own = f"{folder}/kept {{port}}"
    python = f"python3 {HERE}/servers/server.py {{port}}"
    same = [
        status(server, server, ["--post", "/", "--body", "16MiB"])
        for server in [own, python] for _ in range((rounds + 1) // 2)]
    red = [text for code, text in same if code != 0]
    print(f"the same server: {len(red)} of {len(same)} red", *red[:1], flush=True)
    code, text = status(f"{own} 0 count", own, ["--post", "/", "--body", "16MiB"])
    print(f"one that holds an upload, over one that counts it: exit status {code}", "" if code == 1 else text, flush=True)
    return not red and code == 1


def asked(port, path):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        while connection.recv(1 << 20):
            pass


def alone(folder, path):
    """The seconds of a server's start, its warm-up, its request and its end."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    begin = time.monotonic()
    server = subprocess.Popen([f"{folder}/kept", str(port)])
    while True:
        try:
            asked(port, "/pieces/1024")
            break
        except OSError:
            time.sleep(0.0005)
    asked(port, path)
    server.send_signal(signal.SIGTERM)
    server.wait()
    return time.monotonic() - begin


def overhead(binary, folder):
    """Trials and the server alone, in turn in this process's time; each trial's own time is the difference of two runs."""
    path = f"/pieces/{MEBIBYTE}"

    def run(trials):
        begin = time.monotonic()
        rows(binary, [f"get=GET {path} warmup=/pieces/1024 idle=0 : {folder}/kept {{port}}"], ["--trials", str(trials)], folder)
        return time.monotonic() - begin

    differences = []
    for _ in range(5):
        of_trial = (run(42) - run(2)) / 40
        plain = statistics.median(alone(folder, path) for _ in range(20))
        differences.append(1000 * (of_trial - plain))
        print(f"a trial takes {1000 * of_trial:.1f} ms, its server and requests {1000 * plain:.1f} ms", flush=True)
    middle = statistics.median(differences)
    print(f"overhead of a trial: {middle:.1f} ms, at most 60")
    return middle <= 60


def main():
    binary = os.path.abspath(sys.argv[1])
    asked_for = sys.argv[2:] or ["truths", "slopes", "compare", "overhead"]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for part in asked_for:
            name, _, count = part.partition(":")
            print(f"== {shlex.quote(name)}", flush=True)
            if name == "truths":
                good &= truths(binary, folder, count)
            elif name == "slopes":
                good &= slopes(binary, folder)
            elif name == "compare":
                good &= compare(binary, folder, int(count or 20))
            elif name == "overhead":
                good &= overhead(binary, folder)
            else:
                sys.exit(f"unknown part {name}: expected truths, slopes, compare or overhead")
    print("all bars met" if good else "bars missed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts wrong verdicts of scenario repeat: clients that leak nothing against three servers, and planted leaks.

Usage: Benchmarks/leak-verdicts.py FETCHBENCH RUNS [OUTPUT]    (Debian: nginx-light apache2-bin)

RUNS times, six clients are asked for 50, 400 and 1,000 requests against the embedded origin, nginx, and an apache that ends each
connection after two requests; then a client of the tests that leaks 16, 80 and 1,000 bytes a request, against the embedded origin.
OUTPUT (default: results/leak-verdicts.csv) has a row for each client, server and number of requests: how often each verdict came, and the
range of the bytes a request. URLSession is not among the six: its tasks leave some 140 bytes. The
servers run beside each other, three trials at once. It exits with 1 if more than one null verdict in a hundred says leaks, or if a
planted leak is not found; 16 bytes are too few for that to be promised.
"""
import csv
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = ["ahc-stream", "ahc-collect", "nio-stream", "curl-stream", "raw", "keeps-nothing"]
PLANTED = [16, 80, 1000]
COUNTS = [50, 400, 1000]
NGINX = """daemon off; pid {folder}/nginx.pid; error_log /dev/null;
events {{}}
http {{ access_log off; client_body_temp_path {folder}/n; proxy_temp_path {folder}/n; fastcgi_temp_path {folder}/n;
uwsgi_temp_path {folder}/n; scgi_temp_path {folder}/n; server {{ listen 127.0.0.1:{port}; root {folder}; }} }}
"""
APACHE = """ServerName localhost
ServerRoot {folder}
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
ErrorLog {folder}/apache.log
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
DocumentRoot {folder}
MaxKeepAliveRequests 2
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def serve(name, folder):
    """A server of the folder's file, and its URL."""
    port = free_port()
    configuration = folder / f"{name}.conf"
    configuration.write_text({"nginx": NGINX, "apache": APACHE}[name].format(folder=folder, port=port))
    command = ["nginx", "-c", configuration] if name == "nginx" else ["apache2", "-X", "-f", configuration]
    process = subprocess.Popen([shutil.which(command[0], path="/usr/sbin:/usr/bin"), *command[1:]], stderr=subprocess.DEVNULL)
    for _ in range(100):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return process, f"http://127.0.0.1:{port}/body"
        time.sleep(0.1)
    sys.exit(f"{name} does not listen")


def verdicts(binary, place, modes, counts, folder):
    """The verdict, slope and number of requests of each case of one run."""
    scenarios = ",".join(f"repeat:{count}" for count in counts)
    subprocess.run([binary, "run", *place, "--program", Path(binary).parent / "own-client-fixture", "--mode", ",".join(modes), "--scenario",
                    scenarios, "--render", "none", "--allocator", "glibc", "--trials", "1", "--timeout", "300", "--quiet", "--output", folder],
                   check=True, capture_output=True)
    run = max(Path(folder).iterdir(), key=lambda path: path.name)
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in (run / "report.md").read_text().splitlines() if line.startswith("|")]
    head = next(line for line in lines if "verdict" in line)
    for line in lines[lines.index(head) + 2:]:
        if len(line) != len(head):
            break
        row = dict(zip(head, line))
        yield {"mode": row["mode"], "scenario": row.get("conditions", f"scenario={scenarios}"), "requests": row["requests"], "verdict": row["verdict"],
               "bytes_a_request": row["allocated, B a request"]}
    shutil.rmtree(run)


def summary(rows, server, mode, scenario):
    """The verdicts of one client, server and number of requests."""
    own = [row for row in rows if (row["server"], row["mode"], row["scenario"]) == (server, mode, scenario)]
    slopes = [float(row["bytes_a_request"]) for row in own]
    return {"server": server, "mode": mode, "requests": scenario.split(":")[-1] if ":" in scenario else 1000, "runs": len(own),
            **{word: sum(row["verdict"].startswith(word) for row in own) for word in ("leaks", "undecided", "flat")},
            "least_bytes_a_request": min(slopes), "most_bytes_a_request": max(slopes)}


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    binary, runs = sys.argv[1], int(sys.argv[2])
    output = Path(sys.argv[3] if len(sys.argv) == 4 else ROOT / "results/leak-verdicts.csv")
    rows, lock = [], threading.Lock()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "body").write_bytes(bytes(range(256)) * 64)
        servers = {"nginx": serve("nginx", folder), "apache": serve("apache", folder)}
        places = {"origin": ["--asset", "16KiB", "--rate", "unlimited"], **{key: ["--url", url] for key, (_, url) in servers.items()}}

        def measure(server, place):
            for number in range(1, runs + 1):
                found = list(verdicts(binary, place, CLIENTS, COUNTS, folder / server))
                if server == "origin":
                    found += verdicts(binary, place, [f"keeps-{size}-bytes" for size in PLANTED], [1000], folder / server)
                with lock:
                    rows.extend({"server": server, "run": number, **row} for row in found)
                print(f"{server}: run {number}", flush=True)

        threads = [threading.Thread(target=measure, args=item) for item in places.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for process, _ in servers.values():
            process.terminate()
            process.wait()
    with open(output, "w", newline="", encoding="utf-8") as file:
        lines = [summary(rows, *key) for key in sorted({(row["server"], row["mode"], row["scenario"]) for row in rows})]
        table = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(lines)
    null = [row for row in rows if row["mode"] in CLIENTS]
    false = [row for row in null if row["verdict"].startswith("leaks")]
    undecided = sum(row["verdict"].startswith("undecided") for row in null)
    print(f"{len(false)} of {len(null)} null verdicts say leaks, {undecided} are undecided")
    missed = 0
    for size in PLANTED:
        own = [row for row in rows if row["mode"] == f"keeps-{size}-bytes"]
        found = sum(row["verdict"].startswith("leaks") for row in own)
        missed += len(own) - found if size > 16 else 0
        print(f"planted {size} bytes a request: found in {found} of {len(own)}")
    complete = len(null) == 3 * len(CLIENTS) * len(COUNTS) * runs
    sys.exit(0 if complete and 100 * len(false) <= len(null) and missed == 0 else 1)


main()

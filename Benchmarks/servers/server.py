#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that holds a known share of its bodies, for tests and for Benchmarks/endpoint.py.

GET /whole/BYTES makes a body of this size, /pieces/BYTES writes one from a single piece, /keep/BYTES keeps this much for
good, /relay/NAME fetches NAME from the upstream as a whole; POST reads the body as a whole. BYTES may have KiB or MiB.

Usage: server.py PORT [UPSTREAM] [--fault FAULT]
"""
import argparse
import ctypes
import http.server
import os
import signal
import socket
import sys
import time
import urllib.request

PIECE = b"y" * 65536
kept = []


def size(text):
    for unit, factor in (("KiB", 1 << 10), ("MiB", 1 << 20)):
        if text.endswith(unit):
            return int(text[:-3]) * factor
    return int(text)


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, count, pieces):
        self.send_response(200)
        self.send_header("Content-Length", str(count))
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)

    def do_GET(self):
        _, kind, *rest = self.path.split("/")
        if kind == "whole":
            body = b"x" * size(rest[0])
            self.answer(len(body), [body])
        elif kind == "pieces":
            count = size(rest[0])
            self.answer(count, (PIECE[: min(65536, count - at)] for at in range(0, count, 65536)))
        elif kind == "keep":
            kept.append(bytearray(size(rest[0])))
            self.answer(2, [b"ok"])
        elif kind == "relay":
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                    f"{options.upstream}/{rest[0]}") as response:
                body = response.read()
            self.answer(len(body), [body])
        else:
            self.send_error(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(2, [b"ok"])
        del body


def misbehave(fault, port):
    """Answers the first request, that of the warm-up, unless the fault comes before."""
    if fault == "exits":
        sys.exit("there is no configuration")
    if fault == "never listens":
        time.sleep(600)
    listener = socket.create_server(("127.0.0.1", 0 if fault == "listens elsewhere" else port), backlog=64)
    if fault == "daemonises":
        if os.fork():
            sys.exit(0)
        os.setsid()
    if fault == "ignores SIGTERM":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    count = 0
    while True:
        connection, _ = listener.accept()
        if connection.recv(65536):
            count += 1
            body = b"%08d" % (count if fault == "changes" else 0)
            if fault == "answers 500":
                connection.sendall(b"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n")
            elif fault == "closes early":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
            elif fault == "hangs" and count > 1:
                time.sleep(600)
            elif fault == "crashes" and count > 1:
                os.kill(os.getpid(), signal.SIGSEGV)
            else:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n" + body)
        connection.close()


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("port", type=int)
parser.add_argument("upstream", nargs="?", default="")
parser.add_argument("--fault")
options = parser.parse_args()
if options.fault:
    misbehave(options.fault, options.port)
# The allocator keeps no body for the next request, and shall not learn to: mallopt(M_MMAP_THRESHOLD, 128 KiB).
ctypes.CDLL(None).mallopt(-3, 131072)
server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
server.daemon_threads = True
server.serve_forever()

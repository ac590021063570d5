#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does every client ask for the same bytes, however a URL is written?

    Benchmarks/same-request.py BINARY

Forty URLs: each is asked for by every kind of client and by curl, whose request lines a server on this machine writes down, or is
refused by name before anything is sent. Needs curl. Exit status 0 where all agree.
"""
import os
import socket
import subprocess
import sys
import tempfile
import threading

URLSESSION = "data,download,stream,publisher-data"  # these refuse addresses of IPv6 by name
OTHERS = "raw,curl-stream,ahc-stream,nio-stream"
PLAIN = ["--render", "none", "--trials", "1", "--rate", "unlimited", "--quiet", "--no-reference", "--timeout", "30"]
# URLs without their scheme; HOST is this server's address and port, SIX its IPv6 address and the same port.
ASKED = [
    "HOST", "HOST/", "HOST?x=1", "HOST#top", "HOST/x#y?z", "HOST/?", "HOST/a?b?c", "HOST/a%2Fb", "HOST/%C3%BC", "HOST/%c3%bc",
    "HOST/\u00fc%2Fx", "HOST/\u20ac?q=\u00e9", "HOST/%E2%82%AC%25", "HOST/a b", "HOST/a?b c", "HOST/a[1]{x}|\"<>^`",
    "HOST/a;b=1,2/c(d)!$&'*+,;=:@", "HOST/a//b/", "HOST/~user/-._~", "HOST/a/../b", "HOST/a/./b", "HOST/a/..", "HOST/../../b",
    "HOST/a?b=c%20d&e=/?", "u:p@HOST/x", "u%40x:p%3Aq@HOST/x", "\u00fcser:p\u00e4ss@HOST/x", "SIX/x", "SIX",
    "localhost:PORT/x",
]
REFUSED = [
    "htp://HOST/", "http:///path", "http://127.0.0.1:99999/", "http://127.0.0.1:0/", "http://127.0.0.1:x/", "http://HOST/100%",
    "http://HOST/a\\b", "http://127.1:PORT/", "http://[::1/", "http://ho st/",
]


class Server:
    """Answers every request with the same five bytes and keeps the request lines."""

    def __init__(self):
        self.lines = []
        four = socket.create_server(("127.0.0.1", 0))
        self.port = four.getsockname()[1]
        six = socket.create_server(("::1", self.port), family=socket.AF_INET6)
        for listener in (four, six):
            threading.Thread(target=self.listen, args=(listener,), daemon=True).start()

    def listen(self, listener):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            while line := stream.readline():
                while stream.readline().strip():
                    pass
                self.lines.append(line)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nbytes")


def run(binary, url, modes, folder):
    return subprocess.run(
        [binary, "run", "--url", url, "--mode", modes, "--exec", "curl=curl -s -o {file} {url}", "--output", folder] + PLAIN,
        capture_output=True, text=True, errors="replace")


def main():
    binary = os.path.abspath(sys.argv[1])
    server, wrong = Server(), 0
    with tempfile.TemporaryDirectory() as folder:
        for written in ASKED + REFUSED:
            is_asked = written in ASKED
            url = ("http://" if is_asked else "") + written
            for word, value in [("HOST", f"127.0.0.1:{server.port}"), ("SIX", f"[::1]:{server.port}"), ("PORT", str(server.port))]:
                url = url.replace(word, value)
            server.lines.clear()
            modes = OTHERS if written.startswith("SIX") else f"{URLSESSION},{OTHERS}"
            done = run(binary, url, modes, folder)
            lines = set(server.lines)
            if is_asked:
                is_right = done.returncode == 0 and len(lines) == 1 and len(server.lines) > modes.count(",") + 1
            else:
                is_right = done.returncode == 64 and not lines
            wrong += not is_right
            said = lines if is_asked else done.stderr.split("\n")[0]
            print("ok   " if is_right else "WRONG", ascii(written), said, "" if is_right else done.stderr[-400:], flush=True)
    print(f"{len(ASKED + REFUSED) - wrong} of {len(ASKED + REFUSED)} are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

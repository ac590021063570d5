#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what all render models decide about damaged pictures with djpeg, pngtopnm and dwebp.

Ten pictures of each format are made of a good one (Pillow): begun again after a tenth, cut, with bytes in the midst replaced or missing,
with bytes behind the end. A tool refuses a picture if it ends with an error, or says that the picture's end is missing; all
models have to decide as it does. Exit status 1 if one does not.
Usage: Benchmarks/damaged-pictures.py FETCHBENCH    (Debian: python3-pil libjpeg-turbo-progs netpbm webp)
"""
import csv
import functools
import http.server
import io
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from PIL import Image

MODELS = ["imageview", "thumbnail", "stream-thumbnail", "copied", "imageview-yuv"]
TOOLS = {"jpg": ["djpeg", "-outfile", "/dev/null"], "png": ["pngtopnm"], "webp": ["dwebp", "-quiet", "-o", "/dev/null", "--"]}
KINDS = {"jpg": {"quality": 88}, "prog.jpg": {"quality": 88, "progressive": True}, "restarts.jpg": {"quality": 88, "restart_marker_rows": 2},
         "png": {}, "webp": {"quality": 85}, "lossless.webp": {"lossless": True}}
FORMATS = {"jpg": "JPEG", "png": "PNG", "webp": "WEBP"}


def good(kind):
    noise = Image.merge("RGB", [Image.effect_noise((640, 480), 40 + 10 * i) for i in range(3)])
    file = io.BytesIO()
    noise.save(file, FORMATS[kind.split(".")[-1]], **KINDS[kind])
    return file.getvalue()


def damaged(data):
    """Ten pictures, by the name of the damage."""
    half = len(data) // 2

    def replaced(at, bytes_):
        return data[:at] + bytes_ + data[at + len(bytes_):]

    while 0xFF in data[half - 1:half + 3]:
        half += 1
    return {
        "good": data, "restarted": data[:len(data) // 10] + data, "cut": data[:half], "cut-late": data[:-40],
        "stray-marker": replaced(half, b"\xff\x9e"), "stray-soi": replaced(half, b"\xff\xd8"), "stray-end": replaced(half, b"\xff\xd9"),
        "flipped": replaced(half, bytes([data[half] ^ 0x55])), "missing": data[:half] + data[half + 7:], "trailing": data + b"\0" * 500,
    }


def tool_accepts(path):
    ended = subprocess.run(TOOLS[path.suffix[1:]] + [str(path)], capture_output=True, check=False)
    words = ended.stderr.decode(errors="replace").lower()
    # djpeg shows what there is of a picture that ends too early, and warns of it with status 2.
    is_short = "premature end" in words or "truncat" in words
    return ended.returncode in (0, 2) and not is_short, words.strip().splitlines()


def models_accept(fetchbench, url, folder):
    subprocess.run([fetchbench, "run", "--url", url, "--mode", "download", "--render", ",".join(MODELS), "--trials", "1", "--quiet",
                    "--output", folder], capture_output=True, check=False)
    run = max(Path(folder).iterdir(), key=os.path.getmtime)
    with open(run / "trials.csv", newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["mode"] == "download"]
    return {row["render"]: (row["outcome"] == "completed", row["outcome_detail"]) for row in rows}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        pictures = Path(folder, "pictures")
        pictures.mkdir()
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=pictures)
        handler.func.log_message = lambda *_: None
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for kind in KINDS:
            for damage, data in damaged(good(kind)).items():
                path = pictures / f"{damage}.{kind}"
                path.write_bytes(data)
                expected, words = tool_accepts(path)
                found = models_accept(sys.argv[1], f"http://127.0.0.1:{server.server_address[1]}/{path.name}", folder + "/runs")
                others = [model for model in MODELS if found.get(model, (None,))[0] != expected]
                wrong += bool(others)
                print(f"{'differs' if others else 'alike':8}{path.name:28}{'shown' if expected else 'refused':8}"
                      + (f"{', '.join(others)}: {found.get(others[0])} tool: {words}" if others else "; ".join(words[:1])), flush=True)
    print(f"{wrong} of {10 * len(KINDS)} pictures are decided differently")
    sys.exit(1 if wrong else 0)


main()

# SPDX-License-Identifier: Apache-2.0
"""Fetches a gallery by its manifest and says what is not as the manifest says; knows nothing of who made it.

Usage: read-gallery.py BASE-URL
"""
import hashlib
import json
import struct
import sys
import urllib.request
import zlib


def fetch(url):
    """A body and its media type, past any proxy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=60) as answer:
        return answer.read(), answer.headers["Content-Type"]


def jpeg(body):
    """Width, height and kind of a JPEG (ITU-T T.81, B.1.1): its first frame header; its last marker has to end it."""
    assert body[:2] == b"\xff\xd8" and body[-2:] == b"\xff\xd9", "no whole JPEG"
    position = 2
    while True:
        marker, length = struct.unpack_from(">HH", body, position)
        if marker in (0xFFC0, 0xFFC2):
            precision, height, width, components = struct.unpack_from(">BHHB", body, position + 4)
            assert (precision, components) == (8, 3)
            return width, height, "baseline" if marker == 0xFFC0 else "progressive"
        position += 2 + length


def png(body):
    """Width, height and kind of a PNG, all of whose checksums and rows have to be there."""
    position, packed, size = 8, b"", None
    while position < len(body):
        length, name = struct.unpack_from(">I4s", body, position)
        content = body[position + 8:position + 8 + length]
        assert struct.unpack_from(">I", body, position + 8 + length)[0] == zlib.crc32(name + content)
        if name == b"IHDR":
            size = struct.unpack(">IIBBBBB", content)
            assert size[2:] == (8, 2, 0, 0, 0), "no RGB of eight bits"
        if name == b"IDAT":
            packed += content
        position += 12 + length
    assert name == b"IEND" and len(zlib.decompress(packed)) == (1 + 3 * size[0]) * size[1]
    return size[0], size[1], "png"


def webp(body):
    """Width, height and kind of a lossy WebP (RFC 9649 and RFC 6386)."""
    riff, size, kind, chunk = struct.unpack_from("<4sI4s4s", body)
    assert (riff, size, kind, chunk) == (b"RIFF", len(body) - 8, b"WEBP", b"VP8 ")
    width, height = struct.unpack_from("<HH", body, 26)
    return width & 0x3FFF, height & 0x3FFF, "webp"


READERS = {"image/jpeg": jpeg, "image/png": png, "image/webp": webp}


def main():
    base = sys.argv[1]
    body, kind = fetch(base + "/gallery/manifest.json")
    manifest = json.loads(body)
    pictures, hashes = manifest["pictures"], set()
    assert kind == "application/json" and manifest["name"] == "gallery" and len(pictures) >= 24
    for picture in pictures:
        body, kind = fetch(base + picture["path"])
        found = (kind, len(body), hashlib.sha256(body).hexdigest(), *READERS[kind](body))
        claimed = tuple(picture[key] for key in ("media_type", "bytes", "sha256", "width", "height", "frame"))
        assert found == claimed, f"{picture['name']} is {found}, not {claimed}"
        hashes.add(picture["sha256"])
    assert len(hashes) == len(pictures) and manifest["bytes"] == sum(picture["bytes"] for picture in pictures)


main()

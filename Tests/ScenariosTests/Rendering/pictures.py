# SPDX-License-Identifier: Apache-2.0
"""Pictures for the tests of rendering, made and decoded by Pillow: another program than the one under test.

    pictures.py make KIND WIDTH HEIGHT   writes a picture to standard output
    pictures.py shown WIDTH HEIGHT       reads one, and writes its size as it is shown, and the one that fits into a view
    pictures.py decode                   reads one, and writes its pixels: blue, green, red, alpha; not multiplied
"""
import ctypes
import io
import os
import random
import struct
import sys
import zlib

try:
    from PIL import Image, ImageOps
except ImportError:
    sys.exit(77)


def noise(width, height, mode):
    """A gradient with grain: every row differs, and it compresses badly."""
    channels = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4, "CMYK": 4, "P": 1, "1": 1, "I;16": 1}[mode]
    source = random.Random(width * 31 + height)
    grain = source.randbytes(width * height * channels)
    # Row by row: a loop over the bytes takes seconds.
    row = width * channels
    return b"".join(
        grain[y * row:(y + 1) * row].translate(bytes((level >> 2) + y * 190 // height for level in range(256)))
        for y in range(height))


def image(mode, width, height):
    if mode == "smooth":
        return Image.frombytes("RGB", (width, height), smooth(width, height))
    return Image.frombytes(mode, (width, height), noise(width, height, mode))


def interlaced(width, height, alpha):
    """A PNG in the seven passes of Adam7, which Pillow reads and does not write."""
    picture = image("RGBA" if alpha else "RGB", width, height)
    pixels, channels = picture.tobytes(), 4 if alpha else 3
    data = []
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        columns = range(x0, width, dx)
        for y in range(y0, height, dy) if columns else ():
            row = pixels[y * width * channels:(y + 1) * width * channels]
            part = bytearray(1 + len(columns) * channels)
            for channel in range(channels):
                part[1 + channel::channels] = row[x0 * channels + channel::dx * channels]
            data.append(part)

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 6 if alpha else 2, 0, 0, 1)
    # A text of half a mebibyte between header and pixels, which nobody needs.
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"tEXt", b"a\0" + b"b" * 524288)
            + chunk(b"IDAT", zlib.compress(b"".join(data))) + chunk(b"IEND", b""))


def turbo(width, height, is_arithmetic):
    """A JPEG in either code: TurboJPEG writes the arithmetic one when its environment says so, and Pillow never does."""
    os.environ["TJ_ARITHMETIC"] = "1" if is_arithmetic else "0"
    library = ctypes.CDLL("libturbojpeg.so.0")
    library.tjInitCompress.restype = ctypes.c_void_p
    picture, length = ctypes.POINTER(ctypes.c_ubyte)(), ctypes.c_ulong(0)
    failed = library.tjCompress2(
        ctypes.c_void_p(library.tjInitCompress()), noise(width, height, "RGB"), width, 0, height, 0,
        ctypes.byref(picture), ctypes.byref(length), 2, 90, 0)
    if failed:
        sys.exit("TurboJPEG cannot encode")
    return ctypes.string_at(picture, length.value)


def smooth(width, height):
    """A gradient of colors without any grain."""
    row = bytearray(width * 3)
    row[0::3] = bytes(40 + 160 * x // width for x in range(width))
    row[2::3] = bytes(200 - 160 * x // width for x in range(width))
    rows = []
    for y in range(height):
        row[1::3] = bytes([40 + 160 * y // height]) * width
        rows.append(bytes(row))
    return b"".join(rows)


def claim(kind, width, height):
    """A header that promises a picture of this size, and next to nothing behind it."""
    if kind == "claim-webp-lossless":
        small = bytearray(made("webp-lossless", 16, 16))
        small[21:25] = struct.pack("<I", (width - 1) | (height - 1) << 14)
        return bytes(small)
    small = bytearray(interlaced(16, 16, False) if kind == "claim-png-interlaced" else made("png", 16, 16))
    small[16:24] = struct.pack(">II", width, height)
    small[29:33] = struct.pack(">I", zlib.crc32(bytes(small[12:29])))
    return bytes(small)


def made(kind, width, height):
    size = (width, height)
    # jpeg@6: with an orientation, as cameras note it.
    kind, _, orientation = kind.partition("@")
    if kind.startswith("claim-"):
        return claim(kind, width, height)
    if kind in ("png-interlaced", "png-interlaced-alpha"):
        return interlaced(width, height, kind.endswith("alpha"))
    if kind in ("jpeg-arithmetic", "jpeg-huffman"):
        return turbo(width, height, kind == "jpeg-arithmetic")
    recipes = {
        "jpeg": ("RGB", "JPEG", {"quality": 90}),
        "jpeg-444": ("RGB", "JPEG", {"quality": 90, "subsampling": 0}),
        "jpeg-422": ("RGB", "JPEG", {"quality": 90, "subsampling": 1}),
        "jpeg-progressive": ("RGB", "JPEG", {"quality": 90, "progressive": True}),
        "jpeg-smooth": ("smooth", "JPEG", {"quality": 95}),
        "jpeg-smooth-422": ("smooth", "JPEG", {"quality": 95, "subsampling": 1}),
        "jpeg-gray": ("L", "JPEG", {"quality": 90}),
        "jpeg-cmyk": ("CMYK", "JPEG", {"quality": 90}),
        "png": ("RGB", "PNG", {"compress_level": 1}),
        "png-alpha": ("RGBA", "PNG", {"compress_level": 1}),
        "png-gray": ("L", "PNG", {}),
        "png-gray-alpha": ("LA", "PNG", {}),
        "webp": ("RGB", "WEBP", {"quality": 85, "method": 0}),
        "webp-smooth": ("smooth", "WEBP", {"quality": 95}),
        "webp-alpha": ("RGBA", "WEBP", {"quality": 85, "method": 0}),
        "webp-lossless": ("RGB", "WEBP", {"lossless": True, "quality": 0, "method": 0}),
        "gif": ("P", "GIF", {}),
        "tiff": ("RGB", "TIFF", {}),
        "bmp": ("RGB", "BMP", {}),
        "icon": ("RGBA", "ICO", {}),
        "jpeg-2000": ("RGB", "JPEG2000", {}),
    }
    output = io.BytesIO()
    if kind == "png-palette":
        picture = image("RGB", *size).quantize(64)
        picture.info["transparency"] = 3
        picture.save(output, "PNG", transparency=3)
    elif kind == "png-bilevel":
        image("L", *size).convert("1").save(output, "PNG")
    elif kind == "webp-animated":
        image("RGB", *size).save(output, "WEBP", save_all=True, append_images=[Image.new("RGB", size)])
    else:
        mode, name, options = recipes[kind]
        if orientation:
            exif = Image.Exif()
            exif[0x0110], exif[0x0112] = "a camera", int(orientation)
            options = {**options, "exif": exif.tobytes()}
        image(mode, *size).save(output, name, **options)
    return output.getvalue()


if sys.argv[1] == "make":
    sys.stdout.buffer.write(made(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
elif sys.argv[1] == "shown":
    shown = ImageOps.exif_transpose(Image.open(io.BytesIO(sys.stdin.buffer.read())))
    whole = shown.size
    shown.thumbnail((int(sys.argv[2]), int(sys.argv[3])))
    print(*whole, *shown.size)
else:
    picture = Image.open(io.BytesIO(sys.stdin.buffer.read()))
    red, green, blue, alpha = picture.convert("RGBA").split()
    sys.stdout.buffer.write(Image.merge("RGBA", (blue, green, red, alpha)).tobytes())

# SPDX-License-Identifier: Apache-2.0
"""The memory of each mode for a body of S MiB, derived from its client's sources, and as measured in results/laws."""
import statistics

RUN = "laws"
SIZES = [1, 3, 12, 33, 64]
TOLERANCE = 0.1


def before(size):
    """The largest power of two below a size."""
    power = 2.0 ** -10
    while power * 2 < size:
        power *= 2
    return power


def left(size, smallest=1.0):
    """The memory that jemalloc keeps for 10 s of the smaller buffers of one that doubled up to a size: those below 8 MiB."""
    return sum(power for power in (0.0625, 0.125, 0.25, 0.5, 1, 2, 4) if smallest <= power < size)


def small(size, count):
    """The memory that jemalloc keeps of freed copies: those below 8 MiB."""
    return count * size if size < 8 else 0


DATA = ("2 S", lambda size: 2 * size, "2 S + L", lambda size: 2 * size + left(size))
WAITING = ("256 KiB", lambda size: 0.25, "256 KiB", lambda size: 0.25)
BUFFER = ("48 KiB", lambda size: 48 / 1024, "48 KiB", lambda size: 48 / 1024)
NOTHING = ("0", lambda size: 0, "0", lambda size: 0)
PIECES = ("0", lambda size: 0, "about 1 MiB", lambda size: 0.9)
BLOCKING = ("2 S", lambda size: 2 * size, "2 S + L, and 2 S more below 8 MiB", lambda size: 2 * size + left(size) + small(size, 2))
# The growth on glibc in words and in MiB, and that on jemalloc, besides that of a body of 16 KiB; None where there is no law.
LAWS = {
    "data": DATA, "data-async": DATA, "publisher-data": DATA, "publisher-share": DATA, "publisher-connectable": DATA,
    "publisher-retry-catch": DATA, "taskgroup-data": DATA, "taskgroup-dictionary": DATA, "taskgroup-discarding": DATA,
    "sync-data": BLOCKING, "gcd-data": BLOCKING,
    "sync-string": (
        "2 S", lambda size: 2 * size, "2 S + L, and 3 S more below 8 MiB", lambda size: 2 * size + left(size) + small(size, 3)),
    "data-delegate": ("S + about 256 KiB", lambda size: size + 0.25, "max(S, 2 c) + freed buffers", None),
    "ahc-collect": (
        "S + 256 KiB", lambda size: size + 0.25, "max(S, 2 c) + L of c",
        lambda size: max(size, 2 * before(size)) + left(before(size), 0.0625)),
    "upload": ("S", lambda size: size, "S", lambda size: size),
    "upload-file": ("48 KiB + freed buffers", None, "48 KiB + freed buffers", None),
    "ahc-stream": WAITING, "ahc-file": WAITING, "nio-stream": WAITING,
    "raw": BUFFER, "raw-drop": BUFFER,
    "stream": PIECES, "stream-bounded": PIECES, "download-delegate": PIECES,
    "download": NOTHING, "download-async": NOTHING, "publisher-download": NOTHING, "taskgroup-download": NOTHING, "curl-stream": NOTHING,
}
# Why a mode has no law on an allocator.
WITHOUT = {
    ("data-delegate", "jemalloc"): "growing by a quarter leaves many freed buffers below 8 MiB, of which jemalloc reuses some",
    ("upload-file", "glibc"): "libdispatch reads the file into buffers that the allocator keeps after they were freed, in the arena of each thread",
    ("upload-file", "jemalloc"): "as on glibc",
}

# Why a law ends at full speed on glibc.
COPYING = "from 3 GiB on some trials hold a third copy; `explain` names `completeTask`, `contentsOf(url:)` and `Data.init`"
FULL_SPEED = {
    "sync-data": COPYING, "gcd-data": COPYING,
    "ahc-collect": "a `ByteBuffer` holds less than 4 GiB, and `collect` throws `NIOTooManyBytesError`",
    "data-delegate": "chunks of a burst wait for the delegate, and a buffer that grows by a quarter leaves freed ones",
    "stream": "chunks of a burst wait for the delegate",
}

# The bytes that a session holds for each HTTP chunk until its queue looks at it: a timer, and in delegates an operation and its bytes.
TIMER, OPERATION = 336, 150
# The bytes for each chunk by mode, and the copies of the body that are held besides where it comes in pieces below 1 KiB.
CHUNKS = dict.fromkeys(
    ("data", "data-async", "publisher-data", "publisher-share", "publisher-connectable", "publisher-retry-catch", "taskgroup-data",
     "taskgroup-dictionary", "taskgroup-discarding", "download", "download-async", "publisher-download", "taskgroup-download"), (TIMER, 0))
CHUNKS |= {
    "sync-data": (TIMER, 1), "gcd-data": (TIMER, 1), "sync-string": (TIMER, 2), "download-delegate": (TIMER + OPERATION, 0),
    "stream": (TIMER + 32, 0), "stream-bounded": (TIMER + 12, 0), "data-delegate": (TIMER + 39, 0), "ahc-stream": (2.5, 0),
    "ahc-collect": (2.5, 0), "ahc-file": (2.5, 0), "nio-stream": (0, 0), "curl-stream": (0, 0), "raw": (0, 0), "raw-drop": (0, 0),
}
# Why a mode is further off than a tenth and 256 KiB.
SCATTERED = {
    **dict.fromkeys(("stream", "stream-bounded", "download-delegate"), "operations of its delegate pile up in some bursts and not in others"),
    "nio-stream": "what waits for the consumer differs from trial to trial",
    "data-delegate": "operations pile up, and a `Data` that grows by a quarter leaves freed buffers",
}


def table(trials, allocator):
    """Rows of a Markdown table: mode, law, copies at each size, the largest difference, and a reason where it is above 0.1."""
    growth = {}
    for row in trials:
        if row["allocator"] == allocator and row["mode"] != "none":
            growth.setdefault((row["mode"], row["asset"]), []).append(float(row["peak_resident_growth_bytes"]) / (1 << 20))
    modes = {mode for mode, _ in growth}
    if modes != LAWS.keys():
        raise ValueError(f"results/{RUN} has {sorted(modes ^ LAWS.keys())} more or less than scripts/laws.py")
    yield ["mode", "predicted growth", *(f"{size} MiB" for size in SIZES), "largest difference", ""]
    yield [":--", ":--", *["--:"] * (len(SIZES) + 1), ":--"]
    for mode, (words, law, other_words, other_law) in LAWS.items():
        words, law = (words, law) if allocator == "glibc" else (other_words, other_law)
        base = statistics.median(growth[mode, "text-16KiB"])
        measured = {size: statistics.median(growth[mode, f"text-{size}MiB"]) - base for size in SIZES}
        copies = [f"{max(measured[size] / size, 0):.2f}" for size in SIZES]
        if law is None:
            yield [f"`{mode}`", words, *copies, "–", WITHOUT[mode, allocator]]
            continue
        differences = {size: abs(measured[size] - law(size)) / size for size in SIZES}
        worst = max(differences, key=differences.get)
        reason = ""
        if differences[worst] > TOLERANCE:
            values = growth[mode, f"text-{worst}MiB"]
            reason = f"at {worst} MiB, where trials differ by {max(values) - min(values):.2f} MiB"
        yield [f"`{mode}`", words, *copies, f"{differences[worst]:.2f}", reason]

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A trial program in another language: what docs/trial-protocol.md says, with Python's standard library alone.

fetchbench run --program Examples/protocol-in-python/trial_program.py --mode python-read,python-stream --asset 16MiB
"""
import ctypes
import hashlib
import http.client
import json
import os
import resource
import signal
import sys
import time
import urllib.error
import urllib.request

# Version 2 would bring conditions, which these modes know nothing of: the harness then asks for none of them.
PROTOCOLS = (1, 1)
PIECE = 64 * 1024
PAGE = os.sysconf("SC_PAGE_SIZE")
LIBC = ctypes.CDLL(None, use_errno=True)
NOTES = {"fetch": 2, "hold": 2, "render": 3}
PR_SET_PDEATHSIG, PR_SET_THP_DISABLE = 1, 41


class Failure(Exception):
    """Why a trial ended early: a word of the protocol, and what happened, without paths."""

    def __init__(self, code, detail):
        super().__init__(detail)
        self.code, self.detail = code, detail


# Fetching. A body is (the object that keeps it alive, its length, its SHA-256 if it was hashed on the way).

def fetch_nothing(request, url, destination):
    return None


def fetch_whole(request, url, destination):
    with opened(request, url) as answer:
        body = answer.read()
    return body, len(body), None


def fetch_in_pieces(request, url, destination):
    digest, length = hashlib.sha256(), 0
    with opened(request, url) as answer, open(destination, "wb", buffering=0) as file:
        while piece := answer.read(PIECE):
            digest.update(piece)
            file.write(piece)
            length += len(piece)
        # read() with a size ends early without an error.
        if length < int(answer.headers.get("Content-Length", length)):
            raise Failure("truncated_body", "the body is shorter than promised")
    return destination, length, digest.hexdigest()


def opened(request, url, method="GET"):
    asked = urllib.request.Request(url, method=method, headers={"Accept-Encoding": "identity"})
    return urllib.request.urlopen(asked, timeout=request["idleTimeoutSeconds"])


def mode(name, summary, fetch, **more):
    declaration = {
        "name": name, "summary": summary, "schemes": ["http", "https"], "yields_body": False, "abilities": [],
        "hashes_on_the_way": False}
    return name, fetch, declaration | more


MODES = {name: (fetch, declaration) for name, fetch, declaration in [
    mode("none", "no fetch at all: the floor of Python itself", fetch_nothing),
    mode("python-read", "urllib, read(): the whole body as bytes", fetch_whole, yields_body=True),
    mode("python-stream", "urllib, 64 KiB at a time into a file", fetch_in_pieces, yields_body=True,
         hashes_on_the_way=True),
]}


# Readings at marks.

def fields(path):
    """The numbers of a file of /proc whose lines are `Name: number kB`, in bytes where they are kilobytes."""
    found = {}
    with open(path) as file:
        for line in file:
            name, _, rest = line.partition(":")
            words = rest.split()
            if words and words[0].isdigit():
                found[name] = int(words[0]) * (1024 if words[1:] == ["kB"] else 1)
    return found


def mark():
    usage, now = resource.getrusage(resource.RUSAGE_SELF), time.monotonic_ns()
    status = fields("/proc/self/status")
    memory = {
        "time_ns": now, "resident_bytes": status["VmRSS"], "anonymous_bytes": status["RssAnon"],
        "file_bytes": status["RssFile"], "shmem_bytes": status["RssShmem"], "swapped_bytes": status.get("VmSwap", 0),
        "peak_resident_bytes": status["VmHWM"], "threads": status["Threads"], "minor_faults": usage.ru_minflt,
        "major_faults": usage.ru_majflt, "cpu_ns": time.process_time_ns()}
    try:
        rollup = fields("/proc/self/smaps_rollup")
        memory["proportional_bytes"] = rollup["Pss"]
        memory["unique_bytes"] = rollup["Private_Clean"] + rollup["Private_Dirty"]
    except OSError:
        pass  # What the kernel hides is left out.
    return {"memory": memory}


def statm():
    """The resident and the shared bytes, as the kernel counts them now."""
    with open("/proc/self/statm") as file:
        words = file.read().split()
    return int(words[1]) * PAGE, int(words[2]) * PAGE


def settle():
    """Waits until the resident size has not changed for 6 ms, or for 300 ms."""
    begin = since = time.monotonic()
    last = statm()[0]
    while time.monotonic() - begin < 0.3 and time.monotonic() - since < 0.006:
        time.sleep(0.001)
        now = statm()[0]
        if now != last:
            last, since = now, time.monotonic()


def exactness():
    """Whether statm, of which the harness takes samples, agrees with the page tables."""
    for _ in range(5):
        before = statm()[0]
        try:
            rollup = fields("/proc/self/smaps_rollup")["Rss"]
        except OSError:
            return "unknown"
        if before == rollup == statm()[0]:
            return "exact"
    return "unknown"


def reset_peak():
    """Lets the kernel's high-water mark begin anew; False where that is refused."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return True
    except OSError:
        return False


class Phase:
    """Between two marks: the peak begins anew, then the clocks; at the end the clocks, then the peak, then the rest."""

    def __init__(self, name, report):
        self.name, self.report = name, report

    def __enter__(self):
        self.report["at"] = self.name
        self.is_reset = reset_peak()
        self.before = fields("/proc/self/status")["VmHWM"]
        self.start_resident, self.shared = statm()
        self.cpu, self.start = time.process_time_ns(), time.monotonic_ns()

    def __exit__(self, kind, error, trace):
        end, cpu = time.monotonic_ns(), time.process_time_ns()
        if error is not None:
            return
        last = statm()[0]
        highest = fields("/proc/self/status")["VmHWM"]
        if self.name in NOTES:
            note(NOTES[self.name])
        if self.is_reset:
            source, peak, bound = "kernel_high_water_mark", max(highest, last), error_bound()
        elif highest > self.before:
            source, peak, bound = "kernel_high_water_mark_without_reset", max(highest, last), error_bound()
        else:
            peak = max(self.start_resident, last)
            source, bound = "exact_readings", max(0, highest - peak)
        self.report["phases"].append({
            "phase": self.name, "start_ns": self.start, "end_ns": end, "cpu_ns": cpu - self.cpu,
            "start_shared_bytes": self.shared, "end": mark(),
            "peak": {"resident_bytes": peak, "source": source, "error_bound_bytes": bound}})


def note(instant):
    """Tells the recorder of `fetchbench explain`, where it is loaded, that this is a mark: 1 baseline, 2 later, 3 the last."""
    recorder = getattr(LIBC, "allocation_recorder_note", None)
    if recorder is not None:
        recorder(instant)


def error_bound():
    """How much the kernel's mark can miss: it counts in batches of max(32, 2 * CPUs) pages on each CPU, three counters."""
    processors = os.cpu_count() or 1
    return 3 * (max(32, 2 * processors) - 1) * processors * PAGE


def allocator():
    with open("/proc/self/maps") as file:
        is_jemalloc = "jemalloc" in file.read()
    if is_jemalloc:
        return {"name": "jemalloc", "configuration": {}}
    name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "unknown").partition(" ")
    settings = {}
    if "MALLOC_MMAP_THRESHOLD_" in os.environ:
        settings["glibc.malloc.mmap_threshold"] = os.environ["MALLOC_MMAP_THRESHOLD_"]
    return {"name": name, "configuration": settings} | ({"version": version} if version else {})


# The two documents.

def describe():
    return {
        "protocols": list(PROTOCOLS), "allocator": allocator(),
        "modes": [declaration for _, declaration in MODES.values()],
        "render_models": [{
            "name": "none", "summary": "decodes nothing and keeps the body or its file", "needs_body": False,
            "environment": {}}]}


def trial(request):
    # A touched byte is a page, and not 2 MiB; and nobody outlives the harness.
    is_small = LIBC.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    report = {
        "version": request["version"], "allocator": allocator(), "exactness": exactness(), "huge_pages_disabled": is_small,
        "phases": [], "at": "warmup"}
    try:
        course(request, report)
    except Failure as failure:
        report["failure"] = {
            "phase": report["at"], "code": failure.code, "detail": failure.detail, "rejected": False}
    del report["at"]
    return report


def course(request, report):
    fetch = translated(MODES[request["mode"]][0])
    if request.get("conditions", {}).get("start") != "cold":
        warm_up(request, fetch)
    report["baseline"] = mark()
    note(1)
    with Phase("fetch", report):
        planted = bytes([1]) * request["plantedByteCount"]
        body = fetch(request, request["url"], request["directory"] + "/fetched.body")
    with Phase("hold", report):
        if body is not None:
            report["body"] = verified(request, *body)
        settle()
    with Phase("render", report):
        pass
    with Phase("release", report):
        del body, planted
    settle()
    report["settled"] = mark()
    LIBC.malloc_trim(0)
    report["purged"] = mark()


def warm_up(request, fetch):
    """Everything once with 1 KiB, so that modules, buffers and names exist before the mark that growth counts from."""
    warm = fetch(request, request["warmupURL"], request["directory"] + "/warmup.body")
    if warm is not None:
        verified(request, *warm)
        if request["warmsTarget"]:
            try:
                with opened(request, request["url"], "HEAD"):
                    pass
            except (OSError, http.client.HTTPException):
                pass  # Whatever it was answered, the connection was made.
    with Phase("warmup", {"phases": []}):
        settle()


def verified(request, content, length, digest):
    start = time.process_time_ns()
    if request["verification"] == "sha256" and digest is None:
        digest = hashlib.sha256(content).hexdigest()
    reading = {"bytes": length, "verification_cpu_ns": time.process_time_ns() - start}
    return reading | ({"sha256": digest} if digest else {})


def translated(fetch):
    """A fetch that fails in the words of the protocol."""
    def translating(request, url, destination):
        try:
            return fetch(request, url, destination)
        except urllib.error.HTTPError as error:
            raise Failure("http_status", f"status {error.code}") from None
        except urllib.error.URLError as error:
            refused = isinstance(error.reason, ConnectionRefusedError)
            raise Failure("connection_refused" if refused else "other", f"{error.reason}") from None
        except TimeoutError:
            raise Failure("idle_timeout", "no byte came in time") from None
        except http.client.IncompleteRead:
            raise Failure("truncated_body", "the body is shorter than promised") from None
        except http.client.HTTPException:
            raise Failure("malformed_response", "the answer is no HTTP") from None
        except OSError as error:
            raise Failure("other", error.strerror or "an error of the system") from None
    return translating


def refuse(words):
    print("error: " + words, file=sys.stderr)
    sys.exit(64)


def main(protocols, describe, trial):
    if sys.argv[1:] == ["--describe"]:
        return json.dump(describe(), sys.stdout)
    if sys.argv[1:]:
        refuse("it takes no argument but --describe; fetchbench run starts trials")
    try:
        request = json.load(sys.stdin)
        version = request["version"]
    except (ValueError, KeyError, TypeError):
        refuse("standard input holds no trial; fetchbench run starts trials")
    if not protocols[0] <= version <= protocols[1]:
        refuse(f"the trial is in version {version} of the protocol, not {protocols[0]} to {protocols[1]}")
    if request["mode"] not in MODES or request["render"] != "none":
        refuse(f"this program has no mode {request['mode']} or no render model {request['render']}")
    json.dump(trial(request), sys.stdout)


if __name__ == "__main__":
    main(PROTOCOLS, describe, trial)

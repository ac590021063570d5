# SPDX-License-Identifier: Apache-2.0
"""The stored data behind the documents: runs, and what is made of them as a block of a document."""
import csv
import gzip
import json
import statistics
from functools import cache
from math import comb
from pathlib import Path

import laws

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
MEBIBYTE = 1 << 20


@cache
def trials(run):
    """The completed trials of results/RUN, as rows of trials.csv."""
    with (RESULTS / run / "trials.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["outcome"] == "completed"]


def median(run, case, metric):
    values = [float(row[metric]) for row in trials(run) if row["case"] == case and row[metric]]
    if not values:
        raise KeyError(f"results/{run} has no {metric} of {case}")
    return statistics.median(values)


@cache
def slopes(run):
    """The rows of slopes.csv by mode and consumer delay."""
    with (RESULTS / run / "slopes.csv").open(encoding="utf-8", newline="") as file:
        return {(row["mode"], row["allocator"], int(row["consumer_delay_ns"] or 0)): row for row in csv.DictReader(file)}


def asset(name):
    for folder in sorted(RESULTS.glob("*/run.json")):
        for one in json.loads(folder.read_text(encoding="utf-8"))["plan"]["assets"]:
            if one["name"] == name:
                return one["bytes"]
    raise KeyError(f"no published run has asset {name}")


# MARK: - Blocks


def report(run, root=""):
    return f"[report]({root}results/{run}/report.md)"


def table(lines):
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def size(count):
    return f"{count // MEBIBYTE} MiB" if count >= MEBIBYTE else f"{count // 1024} KiB"


PATHS = [
    ("data", "URLSession data task"), ("data-delegate", "the same, appended to one Data"), ("download", "URLSession download task"),
    ("stream", "URLSession delegate, chunk by chunk"), ("stream-bounded", "the same, on a queue that blocks"),
    ("download-delegate", "download task with a progress delegate"), ("ahc-stream", "AsyncHTTPClient, async sequence"),
    ("ahc-collect", "AsyncHTTPClient, `collect`"), ("curl-stream", "libcurl easy handle"), ("raw", "a socket and one buffer"),
]


def fetch_paths():
    """k of each fetch path, without and with a slow consumer."""
    plain, slow = slopes("sweep"), slopes("slow-consumer")

    def text(row):
        return f"{abs(float(row['slope_ratio'])):.2f}, {row['verdict'].removesuffix(' with a slow consumer')}" if row else "–"
    rows = [
        f"| `{mode}`: {words} | {text(plain.get((mode, 'glibc', 0)))} | {text(slow.get((mode, 'glibc', 200_000)))} |"
        for mode, words in PATHS
    ]
    return "\n".join([
        "| fetch path | k | with a consumer of 200 µs a chunk |", "| :-- | --: | --: |", *rows, "",
        f"From `--suite Benchmarks/suites/sweep.yml` ({report('sweep')}) and `--suite", f"Benchmarks/suites/slow-consumer.yml` ({report('slow-consumer')}).",
        ""])


def small_answers():
    """The size at which a data task holds 1 MiB more than a download task, between two measured sizes."""
    run = "small-answers"
    sizes = sorted({int(row["asset_bytes"]) for row in trials(run) if row["mode"] == "data"})
    name = {int(row["asset_bytes"]): row["asset"] for row in trials(run) if row["mode"] == "data"}
    peak = lambda count, mode: median(run, f"{name[count]}/{mode}/none/glibc", "peak_resident_growth_bytes") / MEBIBYTE
    more = {count: peak(count, "data") - peak(count, "download") for count in sizes}
    above = next(index for index, count in enumerate(sizes) if more[count] >= 1)
    low, high = sizes[above - 1], sizes[above]
    limit = low + (high - low) * (1 - more[low]) / (more[high] - more[low])
    shown = ", ".join(f"{more[count]:.2f} at {size(count)}" for count in sizes if count in (65536, 262144, MEBIBYTE, 64 * MEBIBYTE))
    most = max(peak(count, "download") for count in sizes)
    return (
        f"**From which size does it matter?** From about {limit / MEBIBYTE:.1f} MiB a data task holds 1 MiB more than a download\n"
        f"task, which holds at most {most:.2f} MiB at any size. The difference in MiB: {shown}.\n"
        f"`--suite Benchmarks/suites/small-answers.yml` ({report(run)}).\n")


def records():
    """The memory that decoding adds, and whether the fetch path still shows."""
    run = "json"

    def text(render, allocator):
        peaks = {mode: median(run, f"json-4MiB/{mode}/{render}/{allocator}", "peak_resident_growth_bytes") / MEBIBYTE
                 for mode in ("data", "download", "stream")}
        return ", ".join(f"`{mode}` {peak:.1f}" for mode, peak in peaks.items())
    return (
        f"**Decoding 4 MiB of JSON**, peak growth in MiB. Fetched on glibc: {text('none', 'glibc')}. Decoded into Codable\n"
        f"records as well: {text('json', 'glibc')}; on jemalloc {text('json', 'jemalloc')}.\n"
        f"`--suite Benchmarks/suites/json.yml` ({report(run, '../')}).\n")


def asynchronous():
    """Completion handlers beside async functions."""
    run = "async"
    figure = lambda mode, metric, unit: median(run, f"hero/{mode}/none/glibc", metric) / unit
    cpu = {mode: figure(mode, "fetch_cpu_ns", 1e6) for mode in ("data", "data-async", "download", "download-async")}
    text = lambda mode: f"`{mode}` {cpu[mode]:.1f} ms and {figure(mode, 'peak_resident_growth_bytes', MEBIBYTE):.2f} MiB"
    isAlike = all(abs(cpu[mode + "-async"] / cpu[mode] - 1) < 0.1 for mode in ("data", "download"))
    verdict = "No, the difference is within 10 %" if isAlike else "The CPU times differ by more than 10 %"
    return (
        f"**Is async faster?** {verdict}. CPU time and peak growth of {asset('hero') / MEBIBYTE:.1f} MiB: {text('data')},\n"
        f"{text('data-async')}; {text('download')}, {text('download-async')}.\n"
        f"`--suite Benchmarks/suites/async.yml` ({report(run, '../')}).\n")


def published():
    """The photo of published measurements, by fetch path and rendering."""
    cited = {"data": ("2.40", "2.12"), "download": ("0.32", "0.12")}
    rows = []
    for mode, words in (("data", "data task"), ("download", "download task"), ("stream", "stream"), ("raw", "raw")):
        for index, render in enumerate(("none", "imageview")):
            case = f"hero/{mode}/{render}/glibc"
            peak, anonymous = (median("default", case, f"peak_{kind}_growth_bytes") / MEBIBYTE for kind in ("resident", "anonymous"))
            k = median("default", case, "copies_beside_bitmap_ratio" if index else "copies_held_ratio")
            there = cited.get(mode, ("–", "–"))[index]
            rows.append(f"| {words}{' + rendering' if index else ''} | {peak:+.2f} | {anonymous:+.2f} | {max(k, 0):.2f} | {there} |")
    return "\n".join([
        "| 6000×4000 px JPEG, 12.5 MiB, glibc | peak growth, MiB | of it anonymous, MiB | copies | copies derived from published figures, iOS |",
        "| :-- | --: | --: | --: | --: |", *rows, ""])


def costs():
    """The memory of each trial program at its start and after its first fetch."""
    data = json.loads((RESULTS / "costs.json").read_text(encoding="utf-8"))
    header = ["program", "mode", "linkage", "start ms", "resident MiB", "anonymous", "file, private", "file, shared", "threads",
              "descriptors", "binary MiB", "libraries", "their files MiB"]
    rows = []
    for program in data["programs"]:
        figure = lambda name: program["figures"][name]["median"]

        def pair(name, unit=MEBIBYTE, places=1):
            ends = [f"{figure(f'{moment}_{name}') / unit:.{places}f}" for moment in ("start", "fetched")]
            return ends[0] if ends[0] == ends[1] else " → ".join(ends)
        start = program["figures"]["start_duration_ns"]
        rows.append([
            f"`{program['name']}`", f"`{program['mode']}`", program["linkage"], f"{start['median'] / 1e6:.1f} ± {start['mad'] / 1e6:.1f}",
            *(pair(f"{kind}_bytes") for kind in ("resident", "anonymous", "private_file", "shared_file")),
            pair("threads", 1, 0), pair("descriptors", 1, 0), f"{program['binary_bytes'] / MEBIBYTE:.1f}", pair("libraries", 1, 0),
            pair("library_file_bytes"),
        ])
    return table([header, [":--"] * 3 + ["--:"] * (len(header) - 3), *rows])


def survival():
    """The smallest limits of modes, with files cached and in a new container, the anonymous memory and the charge without a limit."""
    data = json.loads((RESULTS / "survive.json").read_text(encoding="utf-8"))
    rows = []
    for case in data["cases"]:
        free = case["unlimited"]["trials"]
        highest = max((trial["charge"] for trial in free), key=lambda charge: charge["total_bytes"])
        limits = (f"{case[key] >> 20}" if key in case else "–" for key in ("survives_bytes", "unhurt_bytes", "setting_bytes"))
        anonymous = statistics.median(trial["charge"]["anonymous_bytes"] for trial in free)
        sizes = (anonymous, max(trial["peak"]["total_bytes"] for trial in free), highest["page_cache_bytes"])
        rows.append([f"`{case['case']['mode']}`", *limits, *(f"{size / MEBIBYTE:.1f}" for size in sizes)])
    header = ["mode", "survives", "unhurt from", "setting of a new container", "anonymous", "charged", "of it page cache"]
    return table([header, [":--"] + ["--:"] * (len(header) - 1), *rows])


def scenarios():
    """The answer of each suite of a scenario, in one row."""
    peak = lambda run, case: median(run, case, "peak_resident_growth_bytes") / MEBIBYTE
    leak = lambda mode, allocator, variant="": median("repeat", f"64KiB/{mode}/none/{allocator}/scenario=repeat{variant}", "allocated_slope_bytes")
    flat = all(leak(mode, allocator) < 8 for mode in ("ahc-stream", "raw") for allocator in ("glibc", "jemalloc"))
    gallery = lambda loader, mode: f"{peak('gallery', f'gallery/{mode}/none/glibc-pinned/scenario=gallery{loader}'):,.0f}"
    hit = lambda loader: median("cache", f"gallery/download/none/glibc/scenario=cache{loader}", "cache_file_hit_copies_ratio")
    resumed = [(median("resume", f"16MiB/{mode}/none/glibc/scenario=resume", metric)) for mode in ("stream", "ahc-stream", "raw")
               for metric in ("refetched_bytes", "cut_underway_bytes")]
    under_way = [f"{value / 1024:.0f}" for value in (min(resumed[1::2]), max(resumed[1::2]))]
    slots = lambda name: f"hero/download/thumbnail/glibc-pinned/scenario=concurrency:{name}"
    slot = lambda name: f"{peak('slots', slots(name)):.0f} MiB and {median('slots', slots(name), 'slots_duration_ns') / 1e9:.1f} s"
    ten = lambda mode: peak("ten-tasks", f"hero/{mode}/none/glibc/concurrency=10")
    rows = [
        ("repeat", "does a request leave something behind?",
         f"a `data` task leaks {leak('data', 'glibc'):.0f} B a request on glibc and {leak('data', 'jemalloc'):.0f} on jemalloc, cancelled "
         f"{leak('data', 'glibc', ':cancel:200'):.0f} and {leak('data', 'jemalloc', ':cancel:200'):.0f}"
         + ("; `ahc-stream` and `raw` are *flat*" if flat else "")),
        ("gallery", "what does a list that scrolls hold, 9 MiB visible?",
         f"models of Kingfisher {gallery('+loader=kingfisher', 'data-delegate')} MiB, SDWebImage {gallery('+loader=sdwebimage', 'data-delegate')}, "
         f"Nuke {gallery('+loader=nuke', 'data-delegate')}, a policy like Glide's {gallery('+loader=glide-like', 'stream')}; a dictionary "
         f"{gallery('+loader=dictionary', 'data')}, no policy {gallery('+loader=naive', 'sync-data')}; `best` {gallery('', 'download')}"),
        ("cache", "who answers when pictures are asked for again?",
         f"a file hit holds {hit(''):.2f} copies mapped, {hit('+loader=kingfisher'):.2f} read"),
        ("resume", "what is fetched twice when a process was killed?",
         ("nothing" if max(resumed[::2]) == 0 else f"{max(resumed[::2]):.0f} B") + f" at the median, with {under_way[0]} to {under_way[1]} KiB under way, "
         "by `stream`, `ahc-stream`, `raw`"),
        ("slots", "how many downloads and decodes at once are worth it?",
         f"20 thumbnails: {slot('5x2')} by 5 and 2, {slot('unlimited')} without a limit"),
        ("ten-tasks", "what do ten fetches over five connections cost?",
         f"`data` {ten('data'):.0f} MiB, `ahc-collect` {ten('ahc-collect'):.0f}, `ahc-stream` {ten('ahc-stream'):.1f}, `download` {ten('download'):.1f}"),
    ]
    first = lambda run: next(row["case"] for row in trials(run) if row["mode"] != "none")
    count = lambda run: len([row for row in trials(run) if row["case"] == first(run)])
    lines = [f"| `{run}` | {question} | {answer} | {count(run)} | {report(run, '../')} |" for run, question, answer in rows]
    return "\n".join(["| `--suite` | question | what it found here | trials | |", "| :-- | :-- | :-- | --: | :-- |", *lines, ""])


def rows_of(name):
    with (RESULTS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def null_simulations():
    """The share of false alarms among made-up judgements, by judge and by how much is compared."""
    data = rows_of("null-simulations.csv")
    if len(data) != 55:
        raise ValueError(f"null-simulations.csv has {len(data)} arrangements, expected 55: `make null-simulations` writes it")
    for row in data:
        if int(row["false_alarms"]) * 100 > int(row["comparisons"]) or int(row["called_the_same"]) > 0:
            raise ValueError(f"{row['judge']}, {row['compared']}, {row['runs_a_side']} a side: wrong too often")
    runs = sorted({int(row["runs_a_side"]) for row in data})
    shares = {(row["judge"], row["compared"], int(row["runs_a_side"])): 100 * int(row["false_alarms"]) / int(row["comparisons"])
              for row in data}
    lines = [["judge", "compared"] + [f"{count} a side" for count in runs], [":--", ":--"] + ["--:"] * len(runs)]
    for judge, compared in dict.fromkeys((row["judge"], row["compared"]) for row in data):
        lines.append([judge, compared] + [f"{shares[judge, compared, count]:.2f} %" for count in runs])
    return table(lines)


def host_simulations():
    """False alarms over several hosts, and what they find beside one of them with the same number of pairs."""
    data = rows_of("host-simulations.csv")
    if len(data) != 12:
        raise ValueError(f"host-simulations.csv has {len(data)} arrangements, expected 12: `make null-simulations` writes it")
    for row in data:
        if int(row["false_alarms"]) * 100 > int(row["comparisons"]):
            raise ValueError(f"{row['hosts']} hosts, {row['noise']} noise: wrong too often")
        if row["noise"] == "different" and int(row["found"]) < int(row["found_by_one_host"]):
            raise ValueError(f"{row['hosts']} hosts find less than one of them")
    lines = [["hosts", "noise", "figures", "false alarms", "+2 % found", "by one host"], ["--:", ":--"] + ["--:"] * 4]
    for row in data:
        shares = [100 * int(row[name]) / int(row["comparisons"]) for name in ("false_alarms", "found", "found_by_one_host")]
        lines.append([row["hosts"], row["noise"], row["figures"], f"{shares[0]:.2f} %", f"{shares[1]:.1f} %", f"{shares[2]:.1f} %"])
    return table(lines)


def shard_verdicts():
    """Verdicts of real comparisons over shards and hosts, unchanged and planted."""
    data = rows_of("shard-verdicts.csv")
    unchanged = [row for row in data if row["planted_bytes"] == "0"]
    planted = [row for row in data if row["planted_bytes"] != "0"]
    right = [row for row in planted if "/download/" in row["case"] and row["part"] == "fetch_path"]
    others = [row for row in planted if row not in right]
    alarms = {row["comparison"] for row in unchanged if row["verdict"] != "unchanged"}
    found = {row["comparison"] for row in right} - {row["comparison"] for row in right if row["verdict"] != "regressed"}
    changes = sorted(float(row["change"]) / 1024 for row in right if row["verdict"] == "regressed")
    size = int(planted[0]["planted_bytes"]) // 1024
    return (
        f"In {len({row['comparison'] for row in unchanged})} comparisons of a build with itself ({len(unchanged)} figures), "
        f"{len(alarms)} had a false alarm. Of {len({row['comparison'] for row in planted})} with {size} KiB planted in the downloads, "
        f"{len(found)} were found, as +{changes[0]:.0f} to +{changes[-1]:.0f} KiB, and\n"
        f"{sum(row['verdict'] != 'unchanged' for row in others)} of the {len(others)} other figures were called changed.\n")


def leak_verdicts():
    """Verdicts on clients that leak nothing, and on planted leaks."""
    data = rows_of("leak-verdicts.csv")
    planted = [row for row in data if row["mode"].endswith("-bytes")]
    null = [row for row in data if row not in planted]

    def total(rows, name):
        return sum(int(row[name]) for row in rows)

    if 100 * total(null, "leaks") > total(null, "runs"):
        raise ValueError("more than one false verdict in a hundred")
    found = ", ".join(
        f"{row['mode'].split('-')[1]} bytes {row['leaks']} times of {row['runs']}" for row in sorted(planted, key=lambda row: int(row["mode"].split("-")[1])))
    return (
        f"In {total(null, 'runs')} runs of six clients that leak nothing, against three servers, {total(null, 'leaks')} were said to leak and "
        f"{total(null, 'undecided')} were undecided. Planted leaks were found: {found}.\n")


def ten_million():
    """Ten million trials in bytes, seconds and money, from the published trials and the rate of merging."""
    count = 10_000_000
    logs = sorted(RESULTS.glob("*/trials.jsonl.gz"))
    texts = [gzip.decompress(log.read_bytes()) for log in logs]
    line = sum(map(len, texts)) / sum(text.count(b"\n") for text in texts)
    packed = sum(log.stat().st_size for log in logs) / sum(map(len, texts))
    seconds = statistics.mean(float(row["process_duration_ns"]) / 1e9 for row in trials("default"))
    real = next(row for row in rows_of("merge.csv") if row["trials_per_shard"] == "1000")
    rate = float(real["bytes"]) / (float(real["user_s"]) + float(real["system_s"]))
    hours = count * seconds / 3600
    size = count * line
    return table([
        ["of ten million trials", "each", "together"], [":--", "--:", "--:"],
        ["time, as in the default suite", f"{seconds:.2f} s", f"{hours:,.0f} machine hours"],
        ["… on 1,000 machines", "", f"{hours / 1000:.1f} hours"],
        ["money, at 0.10 a machine hour", "", f"{hours / 10:,.0f}"],
        ["`trials.jsonl`", f"{line / 1000:.1f} kB", f"{size / 1e9:.0f} GB"],
        ["… compressed by gzip", f"{line * packed / 1000:.2f} kB", f"{size * packed / 1e9:.1f} GB"],
        ["… in an object store for a month, at 0.025 a GB", "", f"{size / 1e9 * 0.025:.2f}"],
        ["merging them on one processor", "", f"{size / rate / 60:.0f} minutes, {float(real['peak_resident_bytes']) / MEBIBYTE:.0f} MiB of memory"],
    ])


def at_most(seen, count):
    """The upper end of the exact (Clopper-Pearson) interval, one-sided at 95 %, of a share seen so often."""
    low, high = seen / count, 1.0
    for _ in range(60):
        share = (low + high) / 2
        chance = sum(comb(count, number) * share ** number * (1 - share) ** (count - number) for number in range(seen + 1))
        low, high = (share, high) if chance > 0.05 else (low, share)
    return high


def law_table(allocator):
    """Predicted and measured copies of every mode on an allocator."""
    return table(laws.table(trials(laws.RUN), allocator))


SUBJECTS = {
    "modes": "three modes of 256 KiB", "hero": "three modes of a photo of 12.5 MiB", "scenario": "twenty fetches of 256 KiB, five at once",
    "commands": "commands that fetch 256 KiB", "plain": "commands that fetch nothing",
}
ARRANGEMENTS = {
    "same": "the same file", "copy": "a copy",
    "dropped": "a copy; all caches of the kernel are dropped before each comparison, and the copy is read once",
    "fresh": "a copy that is written again before each comparison, after all caches are dropped", "tmpfs": "a copy on a tmpfs",
    "overlay": "a copy in the lower layer of an overlay, like a program in a container image",
    "rebuilt": "the same commit, built in another folder", "dead": "the same commit with 8 MiB more code that is never run",
}


@cache
def comparisons():
    """The comparisons of results/verdicts.csv: the findings of each by subject, arrangement and number."""
    found = {}
    for row in rows_of("verdicts.csv"):
        found.setdefault((row["subject"], row["arrangement"], row["check"]), []).append(row)
    return found


def is_moved(rows):
    """Whether any of these findings is called a change."""
    return any(row["verdict"] in ("regressed", "improved") for row in rows)


def null_row(own):
    """Comparisons in which nothing differs: how many, false alarms, their exact bound, findings, small p-values, no answer."""
    findings = [row for rows in own for row in rows]
    alarms = sum(map(is_moved, own))
    small = sum(float(row["p"] or 1) < 0.01 for row in findings)
    unanswered = sum(row["verdict"] == "inconclusive" for row in findings)
    return [str(len(own)), str(alarms), f"{100 * at_most(alarms, len(own)):.1f} %", f"{len(findings):,}",
            f"{100 * small / len(findings):.1f} %", str(unanswered)]


NULL_COLUMNS = ["comparisons", "false alarms", "at most", "findings", "p < 0.01", "no answer"]


def null_verdicts():
    """False alarms of real comparisons in which nothing differs, by what is compared."""
    own = {subject: [rows for key, rows in comparisons().items() if key[0] == subject] for subject in SUBJECTS}
    return table([["compared", *NULL_COLUMNS], [":--"] + ["--:"] * 6]
                 + [[words, *null_row(own[subject])] for subject, words in SUBJECTS.items() if own[subject]])


def null_arrangements():
    """The same, by where the other side is."""
    own = {name: [rows for key, rows in comparisons().items() if key[1] == name and key[0] in SUBJECTS] for name in ARRANGEMENTS}
    return table([["arrangement", "the other side", *NULL_COLUMNS], [":--", ":--"] + ["--:"] * 6]
                 + [[name, words, *null_row(own[name])] for name, words in ARRANGEMENTS.items() if own[name]])


def planted(subject):
    """The comparisons with planted growth, and for each the findings that found it."""
    own = [rows for key, rows in comparisons().items() if key[0] == subject]
    return own, [[row for row in rows if is_planted(row) and row["verdict"] == "regressed"] for rows in own]


def is_planted(row):
    """Whether a finding is of what was planted."""
    kind = row["subject"].partition("=")[0]
    if kind == "plant":
        return row["part"] == "fetch_path" and row["case"].startswith("hero/download/")
    return kind == "start" and row["part"] == "start_and_warm_up"


def verdicts():
    """How often verdicts are right, in a sentence."""
    null = [rows for key, rows in comparisons().items() if key[0] in SUBJECTS]
    alarms = sum(is_moved(rows) for rows in null)
    own, red = (sum((planted(subject)[index] for subject in ("plant=1MiB", "start=1MiB")), []) for index in (0, 1))
    return (f"In {len(null)} comparisons in which nothing differed, `compare` raised {alarms} false alarms; with 1 MiB added on purpose, "
            f"it found {sum(map(bool, red))} of {len(own)}\n([how often verdicts are right](docs/verdicts.md)).\n")


def planted_verdicts():
    """Growth that was planted: how often it was found, how large it was called, and what was found elsewhere."""
    lines = [["planted", "where", "comparisons", "found", "at least", "size found", "false alarms elsewhere"],
             ["--:", ":--"] + ["--:"] * 5]
    for subject in dict.fromkeys(key[0] for key in comparisons() if "=" in key[0]):
        kind, size = subject.split("=")
        own, red = planted(subject)
        found = sum(bool(rows) for rows in red)
        changes = sorted(float(row["change"]) / MEBIBYTE for rows in red for row in rows)
        others = sum(is_moved([row for row in rows if not is_planted(row)]) for rows in own)
        where = "while `download` fetches" if kind == "plant" else "before the warm-up"
        span = f"{changes[0]:.2f} to {changes[-1]:.2f} MiB" if changes else "–"
        lines.append([size.replace("MiB", " MiB").replace("KiB", " KiB"), where, str(len(own)), str(found),
                      f"{100 * (1 - at_most(len(own) - found, len(own))):.0f} %", span, str(others)])
    return table(lines)


# Why the main job builds what takes longest; a target without a line here fails the check.
REASONS = {
    "Trials": "what a stored trial says; optimized, because reports read 10,000 of them",
    "Runs": "plans and results of every command; optimized, because merging reads every line",
    "TrialKit": "in the measured process",
    "MemProbe": "in the measured process, and the tracer of commands",
    "NIOCore": "the origin", "NIOPosix": "the origin", "NIOHTTP1": "the origin",
    "NIOEmbedded": "comes with NIOHTTP1", "Atomics": "comes with swift-nio", "DequeModule": "comes with swift-nio",
    "Origin": "the pictures and bodies that every fetch is served; optimized, so that it does not hold up what is measured",
    "ArgumentParser": "the flags, help and completions of all commands",
    "Mustache": "the page", "Reports": "tables, CSV, Markdown and the page",
    "Profiles": "who holds the peak; optimized, because recordings have millions of stacks",
    "Measuring": "requests and trials", "Judging": "verdicts and budgets", "fetchbench": "the commands",
    "Statistics": "estimators and tests; optimized, because they resample",
    "Scenarios": "in the measured process: the scenarios of every trial program",
    "ImageLoading": "in the measured process: what scenarios load with",
    "Rendering": "in the measured process: decoders", "URLSessionModes": "in the measured process: the main job's modes",
    "Texts": "text of every command", "(others)": "linking",
}


def build_costs():
    """The targets of `make main-programs` by processor time, the small ones together."""
    rows = [(row["target"], float(row["cpu_seconds"])) for row in rows_of("build-costs.csv")]
    large = [(name, seconds) for name, seconds in rows if seconds >= 5]
    rest = sum(seconds for _, seconds in rows) - sum(seconds for _, seconds in large)
    return table([
        ["target", "seconds", "why the main job builds it"], [":--", "--:", ":--"],
        *[[name, f"{seconds:.0f}", REASONS[name]] for name, seconds in large],
        [f"{len(rows) - len(large)} others", f"{rest:.0f}", ""],
        ["together", f"{sum(seconds for _, seconds in rows):.0f}", ""],
    ])


# MARK: - What the platform does: results/waiting.csv, chunks.csv and full-speed.csv, which Benchmarks/platform.py writes

WAITS = [("new-connection", "slow bytes, new connection"), ("kept-connection", "slow bytes, kept"), ("first-byte", "first byte, new"),
         ("first-byte-kept", "first byte, kept"), ("four-at-once", "four at once"), ("upload", "an upload")]


def situations(file):
    """The rows of a file by situation and mode."""
    return {(row["situation"], row["mode"], row["asset"]): row for row in rows_of(file)}


def waiting():
    """The processor time for a second of waiting, by client and situation."""
    rows = {key[:2]: row for key, row in situations("waiting.csv").items()}
    modes = dict.fromkeys(mode for situation, mode in rows if not situation.startswith("wait-"))
    lines = [["mode", *(words for _, words in WAITS)], [":--"] + ["--:"] * len(WAITS)]
    for mode in sorted(modes, key=lambda mode: (mode.split("-")[0] not in ("data", "download", "stream", "upload"), mode)):
        def cell(situation):
            row = rows.get((situation, mode))
            return f"{int(row['processor_ns']) / int(row['duration_ns']):.2f}" if row else "–"
        lines.append([f"`{mode}`", *(cell(situation) for situation, _ in WAITS)])
    return table(lines)


def waiting_peaks():
    """How memory depends on the time that a URLSession spins."""
    rows = {key[:2]: int(row["anonymous_bytes"]) for key, row in situations("waiting.csv").items()}
    modes = [mode for situation, mode in rows if situation == "wait-4s"]
    most = max(rows["wait-4s", mode] - rows["wait-100ms", mode] for mode in modes)
    return (f"A URLSession that spins for 4 s instead of 0.1 s holds {most / MEBIBYTE:.2f} MiB more at its peak, at most: spinning costs a "
            "processor, and no memory.\n")


# MARK: - Servers: results/servers.csv, which Benchmarks/endpoint.py writes

SERVERS = {
    "whole": "C, makes the whole body", "pieces": "C, writes it from one buffer", "collected": "C, reads an upload whole",
    "workers": "C, whole bodies, three worker processes", "python": "Python's `http.server`, whole body",
    "python-pieces": "Python's `http.server`, pieces", "slow-whole": "C, makes the whole body",
    "nginx-file": "nginx, `sendfile`", "nginx-proxy": "nginx, proxy with 64 buffers of 64 KiB",
    "hummingbird-file": "Hummingbird, a file as a stream", "hummingbird-collected": "Hummingbird, an upload, `collect`",
    "hummingbird-counted": "Hummingbird, an upload, piece by piece", "hummingbird-stream": "Hummingbird, relay by AsyncHTTPClient's stream",
    "hummingbird-data": "Hummingbird, relay by `URLSession.data(from:)`",
}


def servers():
    """The memory that requests of 64 MiB hold in servers whose memory is known."""
    lines = [["server", "requests in flight", "client", "known", "measured", "lowest … highest", "sockets"], [":--", "--:", ":--"] + ["--:"] * 4]
    rows = {(row["server"], int(row["requests_in_flight"])): row for row in rows_of("servers.csv")}
    for (name, count), row in sorted(rows.items(), key=lambda entry: (list(SERVERS).index(entry[0][0]), entry[0][1])):
        known, middle, low, high = (
            f"{int(row[key]) / MEBIBYTE:.2f}" for key in ("truth_bytes", "growth_bytes", "growth_low_bytes", "growth_high_bytes"))
        rate = int(row["client_bytes_per_second"] or 0)
        sockets = f"{int(row['sockets_bytes']) / MEBIBYTE:.1f}" if row["sockets_bytes"] else "–"
        lines.append([SERVERS[name], str(count), f"{rate // MEBIBYTE} MiB/s" if rate else "fast", known, middle, f"{low} … {high}", sockets])
    return table(lines)


def chunk_laws():
    """The growth of a body of 8 MiB by the size of its chunks and of 1 MiB in single bytes, the bytes for each chunk, and the time."""
    rows = situations("chunks.csv")
    sizes, body = [16, 64, 256, 1024, 4096, 16384, 65536], 8 * MEBIBYTE

    def growth(chunk, mode, asset="text-8MiB"):
        return int(rows[f"chunk-{chunk}", mode, asset]["peak_bytes"])

    modes = dict.fromkeys(mode for _, mode, _ in rows)
    if modes.keys() != laws.CHUNKS.keys():
        raise ValueError(f"results/chunks.csv has {sorted(modes.keys() ^ laws.CHUNKS.keys())} more or less than scripts/laws.py")
    lines = [["mode", "law", *(f"{size} B" if size < 1024 else f"{size // 1024} KiB" for size in sizes), "1 MiB in bytes", "µs a chunk",
              "furthest off"], [":--", "--:"] + ["--:"] * (len(sizes) + 2) + [":--"]]
    for mode, (each, copies) in laws.CHUNKS.items():
        base = growth("none", mode)
        law = {size: base + each * body / size + copies * body * (size < 1024) for size in sizes}
        off = {size: abs(growth(size, mode) - law[size]) for size in sizes}
        worst = max(sizes, key=lambda size: off[size] / max(law[size] / 10, MEBIBYTE / 4))
        reason = ""
        if off[worst] > max(law[worst] / 10, MEBIBYTE / 4):
            reason = f": {laws.SCATTERED[mode]}"
        time = [int(rows[f"chunk-{chunk}", mode, "text-8MiB"]["processor_ns"]) for chunk in ("none", 16)]
        lines.append([
            f"`{mode}`", f"{each:g}" + (f", {copies} S" if copies else ""), *(f"{growth(size, mode) / MEBIBYTE:.1f}" for size in sizes),
            f"{growth(1, mode, 'text-1MiB') / MEBIBYTE:.1f}", f"{(time[1] - time[0]) / (body / 16) / 1000:.1f}",
            f"{off[worst] / MEBIBYTE:.1f} MiB at {worst} B{reason}"])
    return table(lines)


def full_speed():
    """The growth of each mode at full speed, up to which size its law holds, and the trial that is furthest from it."""
    rows = {(row["mode"], row["asset"]): row for row in rows_of("full-speed.csv")}
    sizes = {"64MiB": 64, "256MiB": 256, "1GiB": 1024, "2GiB": 2048, "3GiB": 3072, "4GiB": 4096}
    names = {size: size.replace("M", " M").replace("G", " G") for size in sizes}

    def growth(mode, size):
        """The median, lowest and highest growth in MiB; nothing where a trial failed."""
        row = rows[mode, size]
        return [] if int(row["failed"]) else [int(row[f"peak_{part}bytes"]) / MEBIBYTE for part in ("", "low_", "high_")]

    def cell(found):
        median, _, highest = [f"{mebibytes:.0f}" for mebibytes in found] or ["fails"] * 3
        return median if median == highest else f"{median} ({highest})"

    lines = [["mode", "law", *names.values(), "holds up to", "furthest off"], [":--", ":--"] + ["--:"] * (len(sizes) + 1) + [":--"]]
    for mode in [mode for mode in laws.LAWS if (mode, "64MiB") in rows]:
        words, law = laws.LAWS[mode][:2]
        # In copies of the body.
        off = {size: [(mebibytes - law(sizes[size])) / sizes[size] for mebibytes in growth(mode, size)] for size in sizes}
        count = next((number for number, size in enumerate(sizes) if not off[size] or abs(off[size][0]) > laws.TOLERANCE), len(sizes))
        worst, most = max(((size, copies) for size in sizes for copies in off[size]), key=lambda entry: abs(entry[1]))
        reason = laws.FULL_SPEED[mode] if abs(most) > laws.TOLERANCE or count < len(sizes) else ""
        lines.append([f"`{mode}`", words, *(cell(growth(mode, size)) for size in sizes), list(names.values())[count - 1] if count else "–",
                      f"{most:+.2f} copies at {names[worst]}" + (f": {reason}" if reason else "")])
    return table(lines)


def processor_verdicts():
    """How often a spin that was planted was found, and how often anything was found where nothing differs."""
    rows = rows_of("processor-verdicts.csv")
    numbers = {kind: sorted({int(row["comparison"]) for row in rows if row["planted"] == kind}) for kind in ("spin", "null")}
    moved = [row for row in rows if row["verdict"] in ("regressed", "improved")]
    found = {int(row["comparison"]) for row in moved if row["planted"] == "spin" and row["metric"] == "fetch_cpu_ns"}
    alarms = {int(row["comparison"]) for row in moved if row["planted"] == "null" or row["metric"] != "fetch_cpu_ns"}
    return (f"A client that spends a tenth of each wait on the processor was found in {len(found)} of {len(numbers['spin'])} comparisons with "
            f"itself as it was before; in {len(numbers['null'])} in which\nnothing differed, and in the memory of all, "
            f"{len(alarms)} false alarms were raised.\n")


BLOCKS = {
    "processor-verdicts": processor_verdicts,
    "waiting": waiting, "waiting-peaks": waiting_peaks, "chunk-laws": chunk_laws, "full-speed": full_speed,
    "build-costs": build_costs, "servers": servers,
    "fetch-paths": fetch_paths, "small-answers": small_answers, "records": records, "async": asynchronous, "published": published,
    "costs": costs, "survival": survival, "scenarios": scenarios, "null-simulations": null_simulations, "host-simulations": host_simulations, "ten-million": ten_million, "shard-verdicts": shard_verdicts,
    "leak-verdicts": leak_verdicts,
    "verdicts": verdicts, "null-verdicts": null_verdicts,
    "null-arrangements": null_arrangements, "planted-verdicts": planted_verdicts,
    "laws-glibc": lambda: law_table("glibc"), "laws-jemalloc": lambda: law_table("jemalloc"),
}

# SPDX-License-Identifier: Apache-2.0
"""The parts that scripts share which try shards on real engines."""
import json
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Failure(Exception):
    """A step that went wrong, with what it said."""


def run(*words, **options):
    ended = subprocess.run([*map(str, words)], **{"capture_output": True, "text": True, **options})
    if ended.returncode:
        raise Failure(f"{' '.join(map(str, words))} ended with {ended.returncode}: {ended.stderr}{ended.stdout}")
    return ended.stdout


def until(what, seconds, condition):
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise Failure(f"{what} did not happen within {seconds} s")
        time.sleep(0.2)
    return value


def lines(folder):
    return [json.loads(line) for line in (folder / "trials.jsonl").read_text().splitlines()]


def compare_trials(merged, whole):
    """Fails unless a merged run has the trials of one that was never split, in its order, and all of them completed."""
    merged, whole = lines(merged), lines(whole)
    keys = [[(line["trial"], json.dumps(line["case"], sort_keys=True), line["seed"]) for line in run] for run in (merged, whole)]
    if keys[0] != keys[1]:
        raise Failure(f"the merged run has other trials than the one that was never split: {len(merged)} and {len(whole)}")
    if any(line["outcome"]["kind"] != "completed" for line in merged):
        raise Failure("trials failed")
    return merged

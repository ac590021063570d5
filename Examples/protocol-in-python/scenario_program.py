#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scenario of one's own with figures of its own: the same body asked for again and again, through a cache.

fetchbench run --program Examples/protocol-in-python/scenario_program.py --mode python-read --scenario revisit:20
"""
import sys

# No __pycache__ beside the program.
sys.dont_write_bytecode = True

import trial_program  # noqa: E402

PROTOCOLS = (1, 7)
USUAL_COUNT = 10

# Each declared figure is a column of every table and a name in budgets, and judged if it says `decides`.
REVISIT = {
    "name": "revisit", "summary": "one body asked for again and again, through a cache", "usual_count": USUAL_COUNT,
    "variants": [{
        "name": "forgetful", "summary": "keeps nothing, on purpose", "control": True, "abilities": [],
        "needs_origin": False}],
    "needs": {"abilities": [], "body": False, "rendering": "none", "set": False, "origin": False, "loader": False,
              "concurrency": False},
    "question": "how often does the cache answer?",
    "figures": [
        {"name": "cache_hits", "unit": "ratio", "better": "higher", "summary": "revisit: answers of the cache",
         "heading": "hits", "style": "count", "decides": {"smallest": 1}, "suspect": {"below": 1, "words": "no hit"}},
        {"name": "cache_misses", "unit": "ratio", "summary": "revisit: fetches", "heading": "fetches", "style": "count"},
        {"name": "cache_hit_ratio", "unit": "ratio", "better": "higher", "summary": "revisit: hits ÷ visits",
         "heading": "of all visits", "style": "percent", "quotient": {"of": "cache_hits", "by": ["visits"]}},
    ],
    "legend": ["*hits*: visits that fetched nothing."],
}


def played(request, fetch, reading):
    """A fetch that visits its URL as often as the scenario says, and keeps what it has fetched."""
    words = request["conditions"]["scenario"].split(":")
    count = next((int(word) for word in words if word.isdigit()), USUAL_COUNT)

    def visit(request, url, destination):
        if url != request["url"]:
            return fetch(request, url, destination)
        kept, hits = None, 0
        for _ in range(count):
            if kept is not None and "forgetful" not in words:
                hits += 1
            else:
                kept = fetch(request, url, destination)
        reading["figures"] = {"cache_hits": hits, "cache_misses": count - hits, "visits": count}
        return kept
    return visit


def describe():
    description = trial_program.describe()
    # Over TLS it would have to trust the origin's certificate.
    modes = [mode | {"schemes": ["http"]} for mode in description["modes"]]
    return description | {"protocols": list(PROTOCOLS), "modes": modes, "scenarios": [REVISIT]}


def trial(request):
    conditions = request.get("conditions", {})
    if conditions.get("scenario", "none") == "none":
        return trial_program.trial(request)
    fetch, declaration = trial_program.MODES[request["mode"]]
    reading = {}
    trial_program.MODES[request["mode"]] = (played(request, fetch, reading), declaration)
    report = trial_program.trial(request)
    if "body" in report:
        reading["body"] = report.pop("body")
    return report | {"scenario": reading}


trial_program.main(PROTOCOLS, describe, trial)

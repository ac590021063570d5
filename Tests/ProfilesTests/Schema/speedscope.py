#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what is wrong with documents for speedscope, which are a line each: their schema, and what its reader relies on."""
import sys

import schema


def complaints(document):
    found = list(schema.complaints("speedscope.schema.json", document))
    if not found:
        frames = len(document["shared"]["frames"])
        if document.get("activeProfileIndex", 0) >= len(document["profiles"]):
            found.append("activeProfileIndex: no such profile")
        for profile in document["profiles"]:
            if len(profile["samples"]) != len(profile["weights"]):
                found.append("samples and weights are of different length")
            if any(place >= frames for stack in profile["samples"] for place in stack):
                found.append("a stack names a frame that is none")
            if profile["endValue"] - profile["startValue"] != sum(profile["weights"]):
                found.append("the weights do not sum to the end")
    return found


for item in schema.documents(sys.argv[1]):
    print("\n".join(complaints(item)))

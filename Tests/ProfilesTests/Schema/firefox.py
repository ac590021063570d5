#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what is wrong with documents for the Firefox Profiler, which are a line each: their schema, and what its viewer relies on.

The schema says of which kind a field is; here it is that every number which names a row of a table names one.
"""
import sys

import schema

# Columns of the shared tables that name rows, with the table that they name; a row is also -1 or null where it is none.
REFERENCES = {
    ("stackTable", "frame"): "frameTable", ("frameTable", "func"): "funcTable", ("frameTable", "nativeSymbol"): "nativeSymbols",
    ("frameTable", "originalLocation"): "sourceLocationTable", ("funcTable", "originalLocation"): "sourceLocationTable",
    ("funcTable", "name"): "stringArray", ("funcTable", "resource"): "resourceTable", ("funcTable", "source"): "sources",
    ("resourceTable", "name"): "stringArray", ("resourceTable", "host"): "stringArray", ("sources", "filename"): "stringArray",
}


def lengths(name, table):
    """All columns of a table are as long as it says."""
    for column, values in table.items():
        if isinstance(values, list) and len(values) != table["length"]:
            yield f"{name}.{column} has {len(values)} rows of {table['length']}"


def outside(name, values, count):
    if any(value is not None and value != -1 and not 0 <= value < count for value in values):
        yield f"{name} names a row that is none of {count}"


def shared(tables):
    def count(name):
        return len(tables[name]) if name == "stringArray" else tables[name]["length"]

    for name, table in tables.items():
        if name != "stringArray":
            yield from lengths(name, table)
    for (name, column), other in REFERENCES.items():
        yield from outside(f"{name}.{column}", tables[name][column], count(other))
    for place, offset in enumerate(tables["stackTable"]["prefixOffset"]):
        if offset > place:
            yield f"stackTable.prefixOffset leads before the first row at {place}"
    if len(set(tables["stringArray"])) != len(tables["stringArray"]):
        yield "stringArray has a text twice"


def thread(thread, document):
    tables, categories = document["shared"], len(document["meta"]["categories"])
    yield from lengths("samples", thread["samples"])
    yield from lengths("markers", thread["markers"])
    yield from outside("samples.stack", thread["samples"]["stack"], tables["stackTable"]["length"])
    yield from outside("markers.name", thread["markers"]["name"], len(tables["stringArray"]))
    yield from outside("markers.category", thread["markers"]["category"], categories)
    yield from outside("frameTable.category", tables["frameTable"]["category"], categories)
    if sorted(thread["samples"]["time"]) != thread["samples"]["time"]:
        yield "samples.time goes back"
    kinds = {kind["name"] for kind in document["meta"]["markerSchema"]}
    for start, end, phase, data in zip(*(thread["markers"][key] for key in ("startTime", "endTime", "phase", "data"))):
        if phase == 1 and (start is None or end is None or end < start):
            yield "an interval has no end, or one before its start"
        if data and data["type"] not in kinds:
            yield f"a marker of the kind {data['type']} has no schema"


def counter(counter, document):
    yield from lengths("counter " + counter["name"], counter["samples"])
    yield from outside("mainThreadIndex", [counter["mainThreadIndex"]], len(document["threads"]))
    if sorted(counter["samples"]["time"]) != counter["samples"]["time"]:
        yield "counter.time goes back"
    if counter["pid"] not in {thread["pid"] for thread in document["threads"]}:
        yield "a counter belongs to no process"


def complaints(document):
    found = list(schema.complaints("firefox.schema.json", document))
    # Without the fields nothing can be looked up.
    if not found:
        found += shared(document["shared"])
        for item in document["threads"]:
            found += thread(item, document)
        for item in document["counters"]:
            found += counter(item, document)
        for key in ("initialVisibleThreads", "initialSelectedThreads"):
            found += outside(key, document["meta"][key], len(document["threads"]))
    return found


for item in schema.documents(sys.argv[1]):
    print("\n".join(complaints(item)))

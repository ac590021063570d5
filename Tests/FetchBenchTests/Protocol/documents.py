# SPDX-License-Identifier: Apache-2.0
"""Holds documents to docs/trial-protocol.schema.json. Usage: documents.py SCHEMA KIND FILE...

Prints a line for each property that is not as described, or newer than the version of its document. With KIND "names" it
prints the newest version, and each property that a later version than the first one has brought.
"""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
definitions = schema["$defs"]


def resolved(definition):
    reference = definition.get("$ref")
    return definitions[reference.rsplit("/", 1)[1]] if reference else definition


def early(definition, document, version, path):
    """Yields properties of a document that a later version introduced."""
    definition = resolved(definition)
    if isinstance(document, list):
        for item in document:
            yield from early(definition.get("items", {}), item, version, path)
    if not isinstance(document, dict):
        return
    for name, value in document.items():
        described = definition.get("properties", {}).get(name, {})
        if described.get("since", 1) > version:
            yield f"{path}{name} came with version {described['since']}, not with {version}"
        yield from early(described, value, version, f"{path}{name}.")


def later(definition):
    for name, described in definition.get("properties", {}).items():
        if described.get("since", 1) > 1:
            yield name
        yield from later(described)


kind = sys.argv[2]
if kind == "names":
    print(definitions["version"]["maximum"])
    print(*sorted({name for definition in definitions.values() for name in later(definition)}), sep="\n")
    sys.exit()
validator = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": definitions})
for path in sys.argv[3:]:
    document = json.load(open(path))
    for error in validator.iter_errors(document):
        print(path, list(error.absolute_path), error.message)
    if kind.startswith("trial"):
        for complaint in early(definitions[kind], document, document.get("version", 0), ""):
            print(path, complaint)

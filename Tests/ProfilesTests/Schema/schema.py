# SPDX-License-Identifier: Apache-2.0
"""Prints what a JSON schema has against a document, a line each; ends with 77 where the module for that is missing."""
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def load(path):
    """The one document of a file."""
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_constant=refuse_constant)


def documents(path):
    """The documents of a file, one a line."""
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            yield json.loads(line, parse_constant=refuse_constant)


def complaints(name, document):
    """Yields the errors of a document against the schema beside this file."""
    schema = load(os.path.join(os.path.dirname(__file__), name))
    jsonschema.Draft202012Validator.check_schema(schema)
    for error in jsonschema.Draft202012Validator(schema).iter_errors(document):
        yield "/".join(map(str, error.absolute_path)) + ": " + ascii(error.message)[:200]

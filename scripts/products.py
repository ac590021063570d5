#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The libraries that other packages use, and how the compiler's tools find what was built of them.

A new product is a line of PRODUCTS; where its sources are not there (yet), it is left out. Usage: scripts/products.py prints their names
"""
import glob
import os
import platform
import shutil
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# Each with whether it has a catalogue of articles.
PRODUCTS = {"MemProbe": True, "TrialKit": True, "MemProbeTesting": True}
BUILD = os.path.join(ROOT, ".build", "release")


def products():
    """The names of those that are there."""
    return [name for name in PRODUCTS if os.path.isdir(os.path.join(ROOT, "Sources", name))]


def catalogue(name):
    path = os.path.join(ROOT, "Sources", name, name + ".docc")
    return path if os.path.isdir(path) else None


def check_built():
    """Ends this program where something is not built; `make docs` builds it, and anew what is older than its sources."""
    for name in products():
        if not os.path.exists(os.path.join(BUILD, "Modules", name + ".swiftmodule")):
            sys.exit(f"{os.path.basename(sys.argv[0])}: {name} is not built; make docs")


def search_flags():
    """The compiler's flags to find the modules, including those in C."""
    flags = ["-I", os.path.join(BUILD, "Modules")]
    maps = glob.glob(os.path.join(BUILD, "C*.build", "module.modulemap"))
    maps += glob.glob(os.path.join(ROOT, "Sources", "C", "*", "include", "module.modulemap"))
    # System libraries.
    maps += glob.glob(os.path.join(ROOT, "Sources", "C", "*", "module.modulemap"))
    for path in sorted(maps):
        flags += ["-Xcc", "-fmodule-map-file=" + path]
    return flags


def target():
    return platform.machine() + "-unknown-linux-gnu"


def tool(name):
    """A tool of the toolchain that swift is of."""
    swift = shutil.which("swift")
    if not swift:
        sys.exit("Swift is not installed; see https://www.swift.org/install/linux")
    beside = os.path.join(os.path.dirname(os.path.realpath(swift)), name)
    found = beside if os.path.exists(beside) else shutil.which(name)
    return found or sys.exit(f"this toolchain has no {name}")


def symbol_graphs(name, folder):
    """Writes the symbol graphs of a product into a folder of its own, and returns that."""
    path = os.path.join(folder, name)
    os.makedirs(path)
    subprocess.run(
        [tool("swift-symbolgraph-extract"), "-module-name", name, "-target", target(), "-minimum-access-level", "public",
         "-skip-synthesized-members", "-emit-extension-block-symbols", "-output-dir", path] + search_flags(), check=True)
    return path


if __name__ == "__main__":
    print(*products())

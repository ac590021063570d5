// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let smallAnswersSuite = #"""
    # From which size on does it matter whether a body is fetched as a data task?
    #
    # Eight sizes, three ways: one buffer, a file, chunks. Below some size the growth of all three is what a first fetch
    # costs, and above it only the data task's follows the size. About five minutes.
    name: small-answers
    description: data, download and stream from 1 KiB to 64 MiB, for the size from which the mode matters
    assets: [1KiB, 16KiB, 64KiB, 256KiB, 1MiB, 4MiB, 16MiB, 64MiB]
    modes: [none, data, download, stream]
    renders: [none]
    allocators: [glibc]
    trials: 10
    seed: 1
    rate: 60MiB
    """#

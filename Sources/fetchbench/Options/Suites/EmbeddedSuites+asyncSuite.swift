// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let asyncSuite = #"""
    # Are the async functions of URLSession faster or smaller than its completion handlers?
    #
    # Each beside the other in seeded random order; compare the CPU time, as the paced origin sets the wall time. Less than a
    # minute.
    name: async
    description: completion handlers beside async functions, for data and download tasks
    assets: [hero]
    modes: [none, data, data-async, download, download-async]
    renders: [none]
    allocators: [glibc]
    trials: 20
    seed: 1
    rate: 60MiB
    """#

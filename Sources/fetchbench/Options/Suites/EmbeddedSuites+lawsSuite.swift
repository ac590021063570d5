// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let lawsSuite = #"""
    # How many copies of the body does each mode hold, at every size?
    #
    # A line over powers of two hides what happens between them: a buffer that grows by doubling, and is copied when it
    # moves, holds twice the body just above a power of two. So three sizes stand between; the smallest shows what a fetch
    # of any size costs. All are texts, which every mode but those for pictures and records takes. About twelve minutes.
    name: laws
    description: copies held (k) by every mode at six sizes, three between powers of two, on two allocators
    assets: [text-16KiB, text-1MiB, text-3MiB, text-12MiB, text-33MiB, text-64MiB]
    modes: [all]
    renders: [none]
    allocators: [glibc, jemalloc]
    trials: 3
    seed: 1
    rate: 60MiB
    """#

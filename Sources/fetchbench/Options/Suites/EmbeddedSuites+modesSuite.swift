// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let modesSuite = #"""
    # Which fetch path costs how much, and which are alike?
    #
    # Every mode on the hero image and on a text of the same size (Foundation's blocking string takes nothing else), on
    # two allocators. About three minutes.
    name: modes
    description: every fetch mode on a 6000×4000 JPEG, on two allocators
    assets: [hero, text-12792KiB]
    modes: [all]
    renders: [none]
    allocators: [glibc, jemalloc]
    trials: 5
    seed: 1
    rate: 60MiB
    """#

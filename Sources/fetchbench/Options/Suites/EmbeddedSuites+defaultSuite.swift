// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let defaultSuite = #"""
    # What does fetching a large image cost in memory, and what does displaying it add?
    #
    # A data task or a download task, rendered or not; with a stream and a bare socket for comparison, on two
    # allocators. About two minutes.
    name: default
    description: data, download, stream and raw fetches of a 6000×4000 JPEG, rendered or not, on two allocators
    assets: [hero]
    modes: [none, data, download, stream, raw]
    renders: [none, imageview, thumbnail]
    allocators: [glibc, jemalloc]
    trials: 10
    seed: 1
    rate: 60MiB
    """#

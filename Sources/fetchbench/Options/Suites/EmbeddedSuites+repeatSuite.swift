// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let repeatSuite = #"""
    # Does a request leave something behind, and is it a leak or the allocator?
    #
    # The same 64 KiB in one process, a thousand times to the end and two hundred times cancelled after a random part of
    # the body, on two allocators: allocated, anonymous and resident bytes after each request, and 5 s after the last
    # one. About ten minutes.
    name: repeat
    description: what a request leaves behind, fetched 1,000 times and cancelled 200 times
    assets: [64KiB]
    modes: [data, download, ahc-stream, raw]
    renders: [none]
    allocators: [glibc, jemalloc]
    scenarios: [repeat, "repeat:cancel:200"]
    trials: 5
    seed: 1
    budgets:
      - "*/raw/*=repeat: leak <= 8 B"
      - "*/raw/*/jemalloc/*: leak <= 8 B"
      # glibc counts as allocated what the caches of its threads hold, which 200 fetches from thread to thread still fill.
      - "*/raw/*/glibc/*cancel*: leak <= 160 B"
      - "*/ahc-stream/*=repeat: leak <= 32 B"
      - "*/ahc-stream/*/jemalloc/*: leak <= 32 B"
      - "*/ahc-stream/*/glibc/*cancel*: leak <= 1 KiB"
      - "*/data/*: leak <= 1 KiB"
      - "*/download/*: leak <= 1 KiB"
    """#

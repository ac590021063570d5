// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let slotsSuite = #"""
    # How many concurrent downloads and decodes are worth their memory?
    #
    # The hero image 20 times: 1, 5 and 10 downloads and 1, 2 and 5 decodes at once, each into a thumbnail; `unlimited`
    # has no limits. On glibc-pinned, because glibc's own threshold keeps freed memory and hides what is held. About two
    # minutes.
    name: slots
    description: 20 pictures through so many downloads and decodes at once
    assets: [hero]
    modes: [data, download]
    renders: [thumbnail]
    allocators: [glibc-pinned]
    scenarios:
      - "concurrency:1x1"
      - "concurrency:5x2"
      - "concurrency:10x5"
      - "concurrency:unlimited"
    trials: 5
    seed: 1
    rate: 60MiB
    """#

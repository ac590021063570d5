// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let slotsSuite = #"""
    # How many downloads and decodes at once are worth their memory?
    #
    # The hero image 20 times: 1, 5 and 10 downloads at once, and 1, 2 and 5 decodes of those that are there; each into a
    # thumbnail of a view. `unlimited` is what an application does that limits nothing. On glibc-pinned, because glibc's own
    # threshold keeps what was freed here, and hides what is held. Less than a minute.
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
    trials: 2
    seed: 1
    rate: 60MiB
    """#

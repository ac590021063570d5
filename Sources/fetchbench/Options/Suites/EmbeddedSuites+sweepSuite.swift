// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let sweepSuite = #"""
    # Does memory grow with the asset, and by how many copies of it?
    #
    # Four sizes, the line through their peaks (peak growth = a + k · size), and budgets on k. About a minute and a
    # half.
    name: sweep
    description: copies held (k) over sizes of 1 to 64 MiB, as the slope of a line
    assets: [1MiB, 4MiB, 16MiB, 64MiB]
    modes: [none, data, data-delegate, download, stream, ahc-stream, ahc-collect, ahc-file, curl-stream, raw]
    renders: [none]
    allocators: [glibc]
    trials: 5
    seed: 1
    rate: 60MiB
    budgets:
      - "*/data/*: slope <= 2.1"
      - "*/download/*: slope < 0.05"
      - "*/stream/*: slope < 0.05"
      - "*/ahc-stream/*: slope < 0.05"
      - "*/raw/*: slope < 0.05"
    """#

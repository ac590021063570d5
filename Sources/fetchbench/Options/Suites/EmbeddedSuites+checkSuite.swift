// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let checkSuite = #"""
    # Did this project's own fetching become more expensive? `make check` runs this suite in less than a minute.
    #
    # Budgets hold on every machine. The baseline (results/baseline.json) is compared only in the same environment;
    # elsewhere it is reported as incomparable.
    name: check
    description: the main modes on the hero image against budgets and the stored baseline
    assets: [hero]
    modes: [data, download, stream, raw]
    renders: [none]
    allocators: [glibc]
    trials: 12
    seed: 1
    rate: 60MiB
    budgets:
      - "hero/data/*: k <= 2.2"
      - "hero/data/*: retained <= 2 MiB"
      - "hero/download/*: peak <= 6 MiB"
      - "hero/stream/*: peak <= 8 MiB"
      - "hero/raw/*: peak <= 1.5 MiB"
      - "hero/raw/*: max(peak) <= size / 8"
    """#

// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let concurrencySuite = #"""
    # What do several concurrent fetches cost together?
    #
    # The hero image once, and five and ten times at once through one session or client, each over its own connection; k
    # counts all requested bytes. On Linux all sessions of URLSession share one serial queue, which shows in their
    # times. About two minutes.
    name: concurrency
    description: one, five and ten fetches of the hero image at once
    assets: [hero]
    modes:
      [none, gcd-data, data, data-async, download, stream, taskgroup-data, taskgroup-download, taskgroup-dictionary,
      taskgroup-discarding, ahc-stream, ahc-collect, curl-stream]
    renders: [none]
    allocators: [glibc]
    concurrency: [1, 5, 10]
    max_connections: 10
    trials: 5
    seed: 1
    rate: 60MiB
    """#

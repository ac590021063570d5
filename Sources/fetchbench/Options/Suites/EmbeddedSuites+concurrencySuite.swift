// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let concurrencySuite = #"""
    # What do several fetches at once cost, together?
    #
    # The hero image once, five and ten times at once through one session or client, each over a connection of its own;
    # k counts all that was asked for. All sessions of URLSession share one serial queue of their process on Linux, so
    # that its times show that queue. About a minute.
    name: concurrency
    description: one, five and ten fetches of the hero image at once
    assets: [hero]
    modes:
      [none, data, data-async, download, stream, taskgroup-data, taskgroup-download, ahc-stream, ahc-collect,
      curl-stream]
    renders: [none]
    allocators: [glibc]
    concurrency: [1, 5, 10]
    max_connections: 10
    trials: 5
    seed: 1
    rate: 60MiB
    """#

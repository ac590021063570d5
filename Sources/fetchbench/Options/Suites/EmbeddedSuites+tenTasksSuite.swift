// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let tenTasksSuite = #"""
    # What do ten tasks over five connections cost?
    #
    # The hero image once, and five and ten times over five connections: k counts all requested bytes, so it is lower
    # with ten than with five if waiting tasks cost nothing. Each library's own setting limits the connections; those of
    # AsyncHTTPClient share one client. `fetchbench behaviours` reports the time-outs of waiting tasks
    # (request-timeout-queued, connect-timeout-queued-ahc). Half a minute.
    name: ten-tasks
    description: ten fetches of the hero image over five connections
    assets: [hero]
    modes: [none, data, download, ahc-stream, ahc-collect, ahc-file]
    renders: [none]
    allocators: [glibc]
    concurrency: [1, 5, 10]
    max_connections: 5
    trials: 5
    seed: 1
    rate: 60MiB
    """#

// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let tenTasksSuite = #"""
    # What do ten tasks over five connections cost?
    #
    # The hero image once, five times over five connections, and ten times over the same five: k counts all that was asked for,
    # so a mode whose waiting tasks cost nothing has a lower k with ten than with five. The connections are limited by each
    # library's own setting; the AsyncHTTPClient ones share one client. What becomes of the time-outs of those that wait is
    # no figure: `fetchbench behaviours` tells it (request-timeout-queued, connect-timeout-queued-ahc). Half a minute.
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

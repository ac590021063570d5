// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let proxySuite = #"""
    # What does a server hold that passes bodies on to slow readers, and does it grow with the requests?
    #
    # The measured process is a server: 50 readers in another process request 10,000 bodies of 1 MiB, each fetched from
    # the origin, and take 0.1 to 0.2 s for each beside its transfer. Then 1,000 of them over a connection each, 1,000
    # of one body fetched before (the server's own cost), and 1,000 that are collected before they are passed on: the
    # control, which holds every body whole. Clients may open a connection for each reader: with their usual 6 or 8 most
    # readers would wait for others. About fifteen minutes.
    name: proxy
    description: a server that passes 10,000 bodies on to 50 slow readers, streamed or whole
    assets: [1MiB]
    modes: [none, ahc-stream, nio-stream, ahc-collect, stream]
    renders: [none]
    allocators: [glibc]
    scenarios: ["proxy:10000", "proxy:close:1000", "proxy:server:1000", "proxy:buffered:1000"]
    max_connections: 50
    trials: 5
    seed: 1
    rate: unlimited
    timeout: 150
    budgets:
      - "*/ahc-stream/*=proxy*10000: resident_slope <= 64 B"
      - "*/nio-stream/*=proxy*10000: resident_slope <= 64 B"
      - "*/ahc-stream/*=proxy*10000: held_per_reader <= 0.6"
      - "*/nio-stream/*=proxy*10000: held_per_reader <= 1"
      - "*=proxy*server*: peak <= 2 MiB"
      - "*=proxy*buffered*: held_per_reader >= 1"
    """#

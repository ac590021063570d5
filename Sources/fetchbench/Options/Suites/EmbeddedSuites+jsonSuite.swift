// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let jsonSuite = #"""
    # What does decoding JSON hold beside the fetch, and does the fetch path still matter then?
    #
    # Every mode on a document of 32,767 records, with and without decoding them by JSONDecoder, on two allocators. The
    # records are kept and the body is dropped; to-file modes decode from a mapping of their file. About six minutes.
    name: json
    description: every fetch mode with and without decoding 4 MiB of JSON into Codable records
    assets: [json-4MiB]
    modes: [all]
    renders: [none, json]
    allocators: [glibc, jemalloc]
    trials: 3
    seed: 1
    rate: 60MiB
    """#

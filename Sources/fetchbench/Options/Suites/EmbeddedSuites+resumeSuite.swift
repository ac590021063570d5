// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let resumeSuite = #"""
    # What does it cost to continue a download whose process was killed?
    #
    # A process fetches 16 MiB and is killed when a tenth, a half, nine tenths or a random part is on disk; the measured
    # one continues from there: `Range` and `If-Range` by hand, because URLSession makes no resume data on Linux. Bytes
    # that arrived but were not yet on disk are fetched again; the median is none. `pause` cancels and continues in one
    # process; `changed` finds another version; with `no-ranges` the server has to send everything again. Every body is
    # compared by its SHA-256. About a minute and a half.
    name: resume
    description: a download whose process was killed, gone on with in a new one
    assets: [16MiB]
    modes: [stream, ahc-stream, raw]
    renders: [none]
    allocators: [glibc]
    scenarios: ["resume", "resume:at-10", "resume:at-50", "resume:at-90", "resume:pause", "resume:changed", "resume:no-ranges"]
    trials: 5
    seed: 1
    rate: 60MiB
    budgets:
      - "*scenario=resume: median(refetched) <= 64 KiB"
      - "*at-*: median(refetched) <= 64 KiB"
      - "*pause: median(refetched) <= 64 KiB"
      - "*changed: refetched <= 0.51 * size"
      - "*no-ranges: refetched <= 0.51 * size"
      - "*/raw/*: peak <= 1 MiB"
      - "*/ahc-stream/*: peak <= 3 MiB"
      - "*/stream/*: peak <= 6 MiB"
    """#

// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let resumeSuite = #"""
    # What does it cost to go on with a download whose process was killed?
    #
    # A process fetches 16 MiB and is killed, while more of it arrives, when a tenth, a half, nine tenths or a random part of
    # it is on disk; the one that is measured goes on from what is on disk: `Range` and `If-Range` by hand, because
    # URLSession makes no resume data on Linux. A client may have read a piece while it wrote another one, which is fetched
    # again then; by the median there is none. `pause` cancels and goes on in one process; `changed` finds another version, `no-ranges` a server that sends
    # everything again, and has to. Every body is compared by its SHA-256. About a minute and a half.
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

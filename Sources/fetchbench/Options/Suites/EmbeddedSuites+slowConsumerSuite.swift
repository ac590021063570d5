// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let slowConsumerSuite = #"""
    # What happens when the consumer is slower than the network?
    #
    # The modes that get the body in pieces and keep none of it, with a consumer that keeps up and one that takes 200 µs
    # for each piece. The origin is unpaced, so that the consumer is the slow side. About a minute and a half.
    name: slow-consumer
    description: back-pressure, as the slope over sizes with a consumer of 0 and of 200 µs a piece
    assets: [1MiB, 4MiB, 16MiB, 64MiB]
    modes: [none, stream, stream-bounded, download-delegate, ahc-stream, nio-stream, curl-stream, raw]
    renders: [none]
    allocators: [glibc]
    consumer_delays: [0, 200us]
    trials: 5
    seed: 1
    rate: unlimited
    budgets:
      - "*/stream-bounded/*: slope < 0.05"
      - "*/ahc-stream/*: slope < 0.05"
    """#

// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let http2Suite = #"""
    # What does each concurrent stream of HTTP/2 hold, and what does a slow consumer cost?
    #
    # 1 MiB once, ten and a hundred times at once, over HTTP/1.1 and HTTP/2, both over TLS, with a consumer that keeps up and
    # one that takes 200 µs for each piece. URLSession, AsyncHTTPClient and nio-stream carry all streams of HTTP/2 on one
    # connection; curl-stream opens one for each fetch. The origin is unpaced, so that the consumer is the slow side; every
    # body is verified. Modes without pieces have no slow consumer: those cases are not applicable. Several minutes.
    name: http2
    description: 1, 10 and 100 streams of 1 MiB over HTTP/1.1 and HTTP/2, with a fast and a slow consumer
    assets: [1MiB]
    modes: [none, data, stream, stream-bounded, download, ahc-stream, ahc-collect, nio-stream, curl-stream]
    renders: [none]
    allocators: [glibc]
    concurrency: [1, 10, 100]
    consumer_delays: [0, 200us]
    schemes: [https]
    http: [1.1, 2]
    trials: 5
    seed: 1
    rate: unlimited
    """#

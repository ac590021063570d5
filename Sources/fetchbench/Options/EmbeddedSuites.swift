// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

/// The suites of the project, as their files are.
enum EmbeddedSuites {
    /// Each by its name, which is that of its file.
    static let all: [(name: String, yaml: String)] = [
        ("check", checkSuite),
        ("concurrency", concurrencySuite),
        ("default", defaultSuite),
        ("modes", modesSuite),
        ("peers", peersSuite),
        ("proxy", proxySuite),
        ("repeat", repeatSuite),
        ("resume", resumeSuite),
        ("slots", slotsSuite),
        ("slow-consumer", slowConsumerSuite),
        ("sweep", sweepSuite),
        ("ten-tasks", tenTasksSuite),
    ]
}

private let checkSuite = #"""
    # Did this project's own fetching become more expensive? What `make check` asks, in less than a minute.
    #
    # Budgets hold on every machine. The baseline (results/baseline.json) is compared only where the environment is the
    # same; elsewhere it is said to be incomparable.
    name: check
    description: the main modes on the hero image against budgets and the stored baseline
    assets: [hero]
    modes: [data, download, stream, raw]
    renders: [none]
    allocators: [glibc]
    trials: 12
    seed: 1
    rate: 60MiB
    budgets:
      - "hero/data/*: k <= 2.2"
      - "hero/data/*: retained <= 2 MiB"
      - "hero/download/*: peak <= 6 MiB"
      - "hero/stream/*: peak <= 8 MiB"
      - "hero/raw/*: peak <= 1.5 MiB"
      - "hero/raw/*: max(peak) <= size / 8"
    """#

private let concurrencySuite = #"""
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

private let defaultSuite = #"""
    # What does fetching a large image cost in memory, and what does showing it add?
    #
    # The question that made this comparison famous: a data task or a download task, rendered or not; beside them a
    # stream and a bare socket, and the same on jemalloc. About two minutes.
    name: default
    description: data, download, stream and raw fetches of a 6000×4000 JPEG, rendered or not, on two allocators
    assets: [hero]
    modes: [none, data, download, stream, raw]
    renders: [none, imageview, thumbnail]
    allocators: [glibc, jemalloc]
    trials: 10
    seed: 1
    rate: 60MiB
    """#

private let modesSuite = #"""
    # Which fetch path costs how much, and which are alike?
    #
    # Every mode on the hero image and on a text of the same size (Foundation's blocking string takes nothing else), on
    # two allocators. About three minutes.
    name: modes
    description: every fetch mode on a 6000×4000 JPEG, on two allocators
    assets: [hero, text-12792KiB]
    modes: [all]
    renders: [none]
    allocators: [glibc, jemalloc]
    trials: 5
    seed: 1
    rate: 60MiB
    """#

private let peersSuite = #"""
    # What would a user pick instead, and what does that cost?
    #
    # curl, wget and Python's requests (whole and streamed) beside the modes, to the same file. A command is counted
    # whole, from exec to exit, so compare the growth of its size (`--asset 1MiB,64MiB`), not its floor. Needs curl, wget
    # and python3-requests (`scripts/install-dependencies --test` installs them). About a minute and a half.
    name: peers
    description: curl, wget and Python requests beside the modes
    assets: [1MiB, 16MiB, 64MiB]
    modes: [none, data, download, stream, ahc-stream, raw]
    exec:
      - curl=curl -sS --fail -o {file} {url}
      - wget=wget -q -O {file} {url}
      - >-
        requests=python3 -c "import requests, sys; answer = requests.get(sys.argv[1]); answer.raise_for_status();
        open(sys.argv[2], 'wb').write(answer.content)" {url} {file}
      - >-
        requests-stream=python3 -c "import requests, shutil, sys; answer = requests.get(sys.argv[1], stream=True);
        answer.raise_for_status(); shutil.copyfileobj(answer.raw, open(sys.argv[2], 'wb'), 65536)" {url} {file}
    renders: [none]
    allocators: [glibc]
    trials: 5
    seed: 1
    rate: 60MiB
    """#

private let proxySuite = #"""
    # What does a server hold that passes bodies on to slow readers, and does it stay with the requests?
    #
    # The measured process is a server: 50 readers in another process ask it for 10,000 bodies of 1 MiB in all, each of
    # which it fetches from the origin, and take 0.1 to 0.2 s for each beside what the transfer takes. Then 1,000 of them
    # over a connection each, 1,000 of one body that was fetched before (what the server itself costs), and 1,000 that are
    # collected before they are passed on: the control, which holds every body whole. Clients may open a connection for
    # each reader: with their usual 6 or 8 most readers would wait for others. Estimated at four minutes; not measured as a whole yet.
    name: proxy
    description: a server that passes 10,000 bodies on to 50 slow readers, streamed or whole
    assets: [1MiB]
    modes: [none, ahc-stream, nio-stream, ahc-collect, stream]
    renders: [none]
    allocators: [glibc]
    scenarios: ["proxy:10000", "proxy:close:1000", "proxy:server:1000", "proxy:buffered:1000"]
    max_connections: 50
    trials: 1
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

private let repeatSuite = #"""
    # Does a request leave something behind, and is it a leak or the allocator?
    #
    # The same 64 KiB again and again in one process, a thousand times to the end and two hundred times cancelled after a
    # random part of the body, on glibc and on jemalloc: what is allocated, anonymous and resident after each request, and
    # what comes back when it is over. About four and a half minutes.
    name: repeat
    description: what a request leaves behind, fetched 1,000 times and cancelled 200 times
    assets: [64KiB]
    modes: [data, download, ahc-stream, raw]
    renders: [none]
    allocators: [glibc, jemalloc]
    scenarios: [repeat, "repeat:cancel:200"]
    trials: 2
    seed: 1
    budgets:
      - "*/raw/*=repeat: leak <= 8 B"
      - "*/ahc-stream/*: leak <= 32 B"
      - "*/data/*: leak <= 1 KiB"
      - "*/download/*: leak <= 1 KiB"
    """#

private let resumeSuite = #"""
    # What does it cost to go on with a download whose process was killed?
    #
    # A process fetches 16 MiB and is killed when a tenth, a half, nine tenths or a random part of it has arrived; the one
    # that is measured goes on from what is on disk: `Range` and `If-Range` by hand, because URLSession makes no resume data
    # on Linux. `pause` cancels and goes on in one process; `changed` finds another version, `no-ranges` a server that sends
    # everything again, and has to. Every body is compared by its SHA-256. About two minutes.
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
      - "*scenario=resume: refetched <= 64 KiB"
      - "*at-*: refetched <= 64 KiB"
      - "*pause: refetched <= 64 KiB"
      - "*changed: refetched <= 0.5 * size"
      - "*no-ranges: refetched <= 0.5 * size"
      - "*/raw/*: peak <= 1 MiB"
      - "*/ahc-stream/*: peak <= 3 MiB"
      - "*/stream/*: peak <= 6 MiB"
    """#

private let slotsSuite = #"""
    # How many downloads and decodes at once are worth their memory?
    #
    # The hero image 20 times: 1, 5 and 10 downloads at once, and 1, 2 and 5 decodes of those that are there; each into a
    # thumbnail of a view. `unlimited` is what an application does that limits nothing. On glibc-pinned, because glibc's own
    # threshold keeps what was freed here, and hides what is held. Estimated at four minutes.
    name: slots
    description: 20 pictures through so many downloads and decodes at once
    assets: [hero]
    modes: [data, download]
    renders: [thumbnail]
    allocators: [glibc-pinned]
    scenarios:
      - "concurrency:1x1"
      - "concurrency:5x2"
      - "concurrency:10x5"
      - "concurrency:unlimited"
    trials: 2
    seed: 1
    rate: 60MiB
    """#

private let slowConsumerSuite = #"""
    # What happens when the consumer is slower than the network?
    #
    # The modes that get the body in pieces and keep none of it, with a consumer that keeps up and with one that takes
    # 200 µs for each piece. The origin sends as fast as it can, or the consumer would not be the slow side. About a
    # minute and a half.
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

private let sweepSuite = #"""
    # Does memory grow with the asset, and by how many copies of it?
    #
    # Four sizes, the line through their peaks (peak growth = a + k · size), and budgets on k. About a minute
    # and a half.
    name: sweep
    description: copies held (k) over sizes of 1 to 64 MiB, as the slope of a line
    assets: [1MiB, 4MiB, 16MiB, 64MiB]
    modes: [none, data, data-delegate, download, stream, ahc-stream, ahc-collect, ahc-file, curl-stream, raw]
    renders: [none]
    allocators: [glibc]
    trials: 5
    seed: 1
    rate: 60MiB
    budgets:
      - "*/data/*: slope <= 2.1"
      - "*/download/*: slope < 0.05"
      - "*/stream/*: slope < 0.05"
      - "*/ahc-stream/*: slope < 0.05"
      - "*/raw/*: slope < 0.05"
    """#

private let tenTasksSuite = #"""
    # What do ten tasks over five connections cost?
    #
    # The hero image once, five times over five connections, and ten times over the same five: k counts all that was asked for,
    # so a mode whose waiting tasks cost nothing has a lower k with ten than with five. The connections are limited by each
    # library's own setting; the AsyncHTTPClient ones share one client. What becomes of the time-outs of those that wait is
    # no figure: `fetchbench behaviours` tells it (request-timeout-queued, connect-timeout-queued-ahc). Estimated at a minute.
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

// SPDX-License-Identifier: Apache-2.0

package struct ProxyScenario: AccompaniedScenario {
    package let name = "proxy"
    package let summary =
        "a server in the measured process passes bodies on to 50 slow readers outside of it, N requests in all"
    package let usualCount: Int? = 1000
    package let usualAsset: String? = "64KiB"
    package let needs = ScenarioNeeds(abilities: [.concurrency], body: true)
    package let variants = [
        ScenarioVariant(Variant.close.rawValue, "each request of a reader opens a new connection"),
        ScenarioVariant(
            Variant.server.rawValue, "forwards a body fetched before the mark: the cost of the server itself"),
        ScenarioVariant(
            Variant.buffered.rawValue, "holds each body whole before its first byte is passed on, on purpose",
            isControl: true),
    ]

    /// The differences from relaying bodies over connections that stay open.
    enum Variant: String {
        /// Each request has its own connection.
        case close
        /// Bodies are fetched beforehand.
        case server
        /// Each body is collected before it is passed on.
        case buffered
    }

    static let readerCount = 50
    /// The requests for the 1 KiB asset before the mark: the pools of clients take some 600 to fill.
    static let warmUpCount = 1000
    /// The requests before the first reading, at most a quarter of all: by then every reader has had bodies, and their
    /// memory is allocated.
    static let settlingCount = 1000
    /// The largest number of readings, evenly over the requests.
    ///
    /// It is large because the memory of 50 bodies in transit changes all the time, and only the lowest of several
    /// readings shows what stays.
    static let readingCount = 1000

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        try ProxyPlayer(
            self, on: stage, variant: stage.choice.variant.flatMap(Variant.init(rawValue:)),
            count: stage.choice.count ?? usualCount ?? 1)
    }

    package func accompany() throws { try ReadersProcess().run() }
}

extension ProxyScenario {
    package var question: String? { "how much memory does a server hold that forwards bodies to slow readers?" }

    package var figures: [FigureDeclaration] {
        [.requests(), Self.held] + FigureDeclaration.slopes + [
            FigureDeclaration(
                "reader_p50_ns", short: "reader_p50", .nanoseconds,
                "proxy: the median time of a request, as its reader saw it", heading: "p50, ms"),
            FigureDeclaration(
                "reader_p99_ns", short: "reader_p99", .nanoseconds,
                "proxy: the time that one of a hundred requests takes longer than, as its reader saw it",
                heading: "p99, ms"),
            FigureDeclaration(
                "most_descriptors", short: "descriptors", .ratio, "proxy: the most descriptors the process had open",
                heading: "descriptors", style: .count),
            FigureDeclaration(
                "origin_connections", short: "origin_connections", .ratio,
                "proxy: how many connections the origin accepted in the trial, the warm-up included",
                heading: "origin connections", style: .count),
            FigureDeclaration(
                "socket_memory_bytes", short: "socket_memory", .bytes,
                "proxy: maximum TCP memory in the kernel, relative to before",
                heading: "in sockets, MiB"),
        ]
    }

    /// The share of its body that each reader keeps in the memory of the server.
    private static let held = FigureDeclaration(
        "held_per_reader_ratio", short: "held_per_reader", .ratio,
        "proxy: net peak growth ÷ (readers × body), from 8 MiB of bodies on; 1 where each body is in memory whole",
        heading: "bodies held a reader", decides: DecidingStep(0.1, visible: 0.25),
        suspect: SuspectLimit(above: 1, "holds whole bodies"),
        quotient: FigureQuotient(
            of: "net_peak_growth_bytes", by: ["readers", "asset_bytes"],
            // Smaller sums of bodies are less than a client's own needs.
            smallestDivisor: 8 * 1024 * 1024))

    package var legend: [String] {
        [
            "*bodies held a reader*: peak growth ÷ (readers × body); from 1 on the verdict says that it *holds whole",
            "bodies*. Slopes and their words as in scenario repeat. Times are those of the readers, 0.1 to 0.2 s of which they do",
            "not read. Connections: those that the origin accepted in the whole trial. Sockets: TCP memory in the kernel of this",
            "machine, which no resident size includes.",
        ]
    }
}

/// The pauses of the readers, drawn from the seed and used by the requests in turn.
package struct ReaderPaces: Hashable {
    /// The time that the reader adds to a request.
    package let milliseconds: [Int]

    package static let count = 256
    package static let range = 100...200

    package init(seed: UInt64) {
        var generator = TraceGenerator(seed: seed)
        milliseconds = (0..<Self.count).map { _ in Int.random(in: Self.range, using: &generator) }
    }

    package var trace: [String] {
        stride(from: 0, to: Self.count, by: 16).map { start in
            let words = milliseconds[start..<start + 16].map(String.init).joined(separator: " ")
            return "requests \(start + 1) to \(start + 16) of every \(Self.count) pause for \(words) ms"
        }
    }
}

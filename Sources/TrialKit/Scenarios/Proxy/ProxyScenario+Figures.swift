// SPDX-License-Identifier: Apache-2.0

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

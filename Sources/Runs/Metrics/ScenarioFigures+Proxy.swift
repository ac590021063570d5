// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Statistics
import TrialKit

extension ScenarioFigures {
    /// What a server costs that passes bodies on.
    static let proxy = ScenarioFigures(
        scenario: "proxy", question: "what does a server hold that passes bodies on to slow readers?",
        columns: [
            Column("requests", .scenarioRequests, .count),
            Column("bodies held a reader", .heldPerReader, .ratio, decides: DecidingStep(0.1, visible: 0.25)),
            Column("allocated, B a request", .allocatedSlope, .bytes, decides: .leak),
            Column("anonymous", .anonymousSlope, .bytes),
            Column("resident", .residentSlope, .bytes),
            Column("p50, ms", .readerMedian, .milliseconds),
            Column("p99, ms", .readerSlowestPercent, .milliseconds),
            Column("descriptors", .mostDescriptors, .count),
            Column("origin connections", .originConnections, .count),
            Column("in sockets, MiB", .socketMemory, .size),
        ],
        legend: [
            "*bodies held a reader*: peak growth ÷ (readers × body); from 1 on the verdict says that it *holds whole",
            "bodies*. Slopes and their words as in scenario repeat. Times are those of the readers, 0.1 to 0.2 s of which they do",
            "not read. Connections are what the origin accepted in the whole trial, sockets what TCP held in the kernel of this",
            "machine beside what processes hold: no resident size shows it.",
        ], verdict: ProxySummary.words)
}

/// What the trials of a case that passes bodies on say together.
enum ProxySummary {
    /// From so many bodies a reader on somebody holds them whole.
    static let wholeBody = 1.0

    /// What stays with the requests, and what is held meanwhile.
    static func words(of trials: [Trial]) -> String? {
        guard let trend = RepetitionSummary.words(of: trials) else { return nil }
        guard let held = Metric.heldPerReader.distribution(over: trials)?.median else { return trend }
        return held >= wholeBody ? "\(trend); holds whole bodies" : trend
    }
}

extension Metric {
    /// Smaller sums of bodies than this drown in what a client needs for itself.
    private static let fewestHeldBytes = 8.0 * 1024 * 1024

    /// How much of its body each reader keeps in the memory of the server.
    package static let heldPerReader = Metric(
        "held_per_reader_ratio", short: "held_per_reader", .ratio,
        "proxy: net peak growth ÷ (readers × body), from 8 MiB of bodies on; 1 where each body is in memory whole"
    ) { trial in
        guard let readers = trial.report?.scenario?.figures["readers"], let size = trial.assetByteCount,
            let growth = trial.netPeakGrowth, readers * Double(size.rawValue) >= fewestHeldBytes
        else { return nil }
        return Double(growth.rawValue) / (readers * Double(size.rawValue))
    }
    /// The median of the readers' times.
    package static let readerMedian = played(
        "reader_p50_ns", short: "reader_p50", .nanoseconds, "proxy: the median time of a request, as its reader saw it")
    /// The 99th percentile of the readers' times.
    package static let readerSlowestPercent = played(
        "reader_p99_ns", short: "reader_p99", .nanoseconds,
        "proxy: the time that one of a hundred requests takes longer than, as its reader saw it")
    /// The most descriptors that were open.
    package static let mostDescriptors = played(
        "most_descriptors", short: "descriptors", .ratio, "proxy: the most descriptors the process had open")
    /// The connections to the origin.
    package static let originConnections = played(
        "origin_connections", short: "origin_connections", .ratio,
        "proxy: how many connections the origin accepted in the trial, the warm-up included")
    /// What the sockets of the machine held.
    package static let socketMemory = played(
        "socket_memory_bytes", short: "socket_memory", .bytes,
        "proxy: the most that TCP held in the kernel of this machine, over what it held before")
}

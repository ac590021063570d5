// SPDX-License-Identifier: Apache-2.0

import Statistics
import TrialKit

extension ScenarioFigures {
    /// Whether a download that was cut begins anew.
    static let resumption = ScenarioFigures(
        scenario: "resume", question: "what is fetched twice when a download was cut?",
        columns: [
            Column("fetched twice, B", .refetched, .count, decides: DecidingStep(65_536, visible: 1_048_576)),
            Column("of the body", .refetchedRatio, .percent),
            Column("had arrived, B", .cutReceived, .count), Column("on disk, B", .cutKept, .count),
            Column("under way, B", .cutUnderway, .count),
            Column("requests", .scenarioRequests, .count),
            Column("held in a pause", .pausedHeld, .growth),
        ],
        legend: [
            "The growth is that of the process that goes on; the one before it was killed while its body arrived. *Fetched",
            "twice*: what it had read from its connection by then (what the origin had sent, without what its socket still held)",
            "and the next process fetched all the same; a pause has no bytes on their way. *changed* and *no-ranges* have to",
            "fetch the whole body again. URLSession makes no resume data on Linux: `stream` asks for the rest by hand, as the",
            "other modes do. The place of the cut stands in the trace of each trial.",
        ], verdict: TransferVerdict.resumption)

    /// What more at once costs, and how much time it saves.
    static let slots = ScenarioFigures(
        scenario: "concurrency", question: "how many at once are worth their memory?",
        columns: [
            Column("slots", .downloadSlots, .count),
            Column("peak per slot", .peakPerSlot, .growth),
            Column("time, ms", .slotsDuration, .milliseconds),
            Column("downloads at once", .mostDownloads, .count),
            Column("decodes at once", .mostDecodes, .count),
        ],
        legend: [
            "5x2: five downloads and two decodes at once. A download gives its slot back when its body is there: bodies that",
            "wait for a decode are held. The last columns are how many there were at once; clients may open a connection for",
            "each slot. One queue drives every session of URLSession on Linux, so that its times show that queue.",
        ], verdict: TransferVerdict.slots)
}

/// What the figures of transfers say, in a word.
enum TransferVerdict {
    /// How much a process may have read that it has not written yet: one piece of a body.
    static let onePiece = 64.0 * 1024

    /// Whether a download goes on where it ended.
    static func resumption(of trials: [Trial]) -> String? {
        guard let twice = Metric.refetched.distribution(over: trials)?.median else { return nil }
        guard twice > onePiece else { return "goes on where it ended" }
        let cannot = ["changed", "no-ranges"].contains(trials.first?.cell.conditions.scenario.variant)
        return cannot ? "fetches all of it again, as it has to" : "fetches again what it had"
    }

    /// Whether there is a limit to what is held at once.
    static func slots(of trials: [Trial]) -> String? {
        guard let most = Metric.mostDownloads.distribution(over: trials)?.median,
            let all = Metric.scenarioRequests.distribution(over: trials)?.median
        else { return nil }
        return most >= all && all > 1 ? "holds as many as there are" : "holds as many as it has slots"
    }
}

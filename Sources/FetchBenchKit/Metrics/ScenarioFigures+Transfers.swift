// SPDX-License-Identifier: Apache-2.0

extension ScenarioFigures {
    /// Whether a download that was cut begins anew.
    static let resumption = ScenarioFigures(
        scenario: "resume", question: "what is fetched twice when a download was cut?",
        columns: [
            Column("fetched twice, B", .refetched, .count, decides: DecidingStep(65_536, visible: 1_048_576)),
            Column("of the body", .refetchedRatio, .percent),
            Column("requests", .scenarioRequests, .count),
            Column("held in a pause", .pausedHeld, .growth),
        ],
        legend: [
            "The growth is that of the process that goes on; the one before it was killed, and is gone. *changed* and",
            "*no-ranges* have to fetch the whole body again. URLSession makes no resume data on Linux: `stream` asks for the",
            "rest by hand, as the other modes do. The place of the cut stands in the trace of each trial.",
        ], verdict: nil)

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
            "wait for a decode are held. The last columns are how many there really were at once. One queue drives every",
            "session of URLSession on Linux, so that its times show that queue.",
        ], verdict: nil)
}

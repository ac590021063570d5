// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Texts
import TrialKit

extension Dimension {
    /// Every dimension in the order of flags, columns and identifiers; a new one comes last.
    package static let all = [
        concurrency, consumerDelay, session, transfer, scheme, start, scenario, loader, display,
        destination, http,
    ]

    /// The number of simultaneous fetches of the asset.
    private static let concurrency = Dimension(
        flag: "concurrency", valueName: "counts", help: "How many fetches at once: 1,5,10.",
        suiteKey: "concurrency", column: "concurrency", word: "concurrency", isOfOrigin: false,
        note: [
            "With several fetches at once, k counts all that was asked for. All sessions of URLSession share one",
            "serial queue of their process on Linux: what its concurrency shows is that queue.",
        ],
        set: { text, conditions throws(PlanMistake) in
            conditions.concurrency = try ConditionRequest.count(text, "--concurrency")
        }, text: { String($0.concurrency) }, columnText: { String($0.concurrency) },
        obstacle: { cell in
            guard cell.mode.abilities.contains(.concurrency) else {
                return cell.planned.command != nil
                    ? "command \(cell.mode.name) fetches one asset at a time"
                    : "mode \(cell.mode.name) blocks its thread: it fetches one asset at a time"
            }
            guard let most = cell.maximumConnections, cell.cell.conditions.concurrency > most,
                !cell.mode.abilities.contains(.connectionLimit)
            else { return nil }
            return "mode \(cell.mode.name) opens a connection for each fetch, and cannot be told to open fewer"
        })

    /// The time that the consumer takes for each piece of a body.
    private static let consumerDelay = Dimension(
        flag: "consumer-delay", valueName: "durations",
        help: "How long the consumer takes for each piece of a body: 0,200us.",
        suiteKey: "consumer_delays", column: "consumer_delay_ns", word: "delay", isOfOrigin: false,
        note: ["A slow consumer sleeps for each piece it gets; how large a piece is, each mode decides."],
        set: { text, conditions throws(PlanMistake) in
            guard let delay = DurationText.nanoseconds(parsing: text), delay <= longestDelay else {
                throw PlanMistake(
                    "--consumer-delay: '\(SafeText.forTerminal(text))' is no duration up to 1s; give 0, 200us or 1ms")
            }
            conditions.consumerDelayNanoseconds = delay
        }, text: { DurationText.text(ofNanoseconds: $0.consumerDelayNanoseconds) },
        columnText: { String($0.consumerDelayNanoseconds) },
        obstacle: { cell in
            guard !cell.mode.abilities.contains(.slowConsumer) else { return nil }
            return "mode \(cell.mode.name) hands nobody the body in pieces, so there is no consumer that could be slow"
        })
    private static let longestDelay = 1_000_000_000

    /// The encoding in which the embedded origin sends a body.
    private static let transfer = words(
        "transfer", kind: "transfer encoding", "How the embedded origin sends bodies: length, chunked, gzip.",
        valueName: "encodings", suiteKey: "transfers", isOfOrigin: true, \.transfer
    ) { cell in
        if cell.mode.need == .sink {
            return "mode \(cell.mode.name) sends the asset itself: how the origin sends bodies does not reach it"
        }
        guard cell.cell.conditions.transfer == .gzip, !cell.mode.abilities.contains(.gzip) else { return nil }
        return "mode \(cell.mode.name) does not decode gzip"
    }

    /// The protocol of the embedded origin; CaseObstacle checks the scheme of every URL.
    private static let scheme = words(
        "scheme", kind: "scheme", "How the embedded origin is spoken with: http, https.",
        valueName: "schemes", suiteKey: "schemes", isOfOrigin: true,
        note: [
            "Over TLS the origin's certificate was made for the run; the warm-up has loaded what TLS needs. URLSession",
            "cannot be told of an authority on Linux: libcurl beneath it is told, before the trial.",
        ], \.scheme)

    /// The mark from which growth counts.
    private static let start = words(
        "start", kind: "start",
        "What growth counts from: warm (the mark after a fetch of 1 KiB), cold (one before anything of the client is made).",
        valueName: "starts", suiteKey: "starts",
        note: [
            "A cold start has no warm-up: growth counts from a mark before anything of the client is made, so that it",
            "holds what the client loads and keeps beside what was fetched, and nothing of what a process starts with.",
        ], \.start
    ) { cell in
        if cell.planned.command != nil { return "command \(cell.mode.name) is counted from its start in any case" }
        guard cell.mode.need == .sink else { return nil }
        return "mode \(cell.mode.name) has to make ready what it uploads, which no cold start can leave out"
    }

    private static let scenario = Dimension(
        flag: "scenario", valueName: "scenarios",
        help: "What is played in the place of one fetch: none, repeat:1000, gallery …; `list scenarios` tells them.",
        suiteKey: "scenarios", column: "scenario", word: "scenario", isOfOrigin: false,
        note: [
            "A scenario is played in the phase `fetch`, the look at what it leaves in `hold`. Its trace follows the plan's",
            "seed, so that two builds see the same. A variant whose name says what it does wrong is a control.",
        ],
        set: { text, conditions throws(PlanMistake) in
            guard let choice = ScenarioChoice(text) else {
                throw PlanMistake(
                    "--scenario: '\(SafeText.forTerminal(text))' is no scenario; give a name, a variant and a number "
                        + "(from 1 to \(ScenarioChoice.mostCount)) such as repeat, repeat:1000 or repeat:keep-64:1000")
            }
            conditions.scenario = choice
        }, text: { $0.scenario.text }, columnText: { $0.scenario.text },
        obstacle: { ScenarioObstacle($0).reason })
}

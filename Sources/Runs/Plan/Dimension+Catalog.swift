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
        flag: "concurrency", valueName: "counts", help: "Numbers of concurrent fetches, such as 1,5,10 (default: 1).",
        suiteKey: "concurrency", column: "concurrency", word: "concurrency", isOfOrigin: false,
        note: [
            "With several concurrent fetches, k is relative to the sum of their sizes. On Linux, all URLSessions of a",
            "process share one serial queue, which limits their concurrency.",
        ],
        set: { text, conditions throws(PlanMistake) in
            conditions.concurrency = try ConditionRequest.count(text, "--concurrency")
        }, text: { String($0.concurrency) }, columnText: { String($0.concurrency) },
        obstacle: { cell in
            guard cell.mode.abilities.contains(.concurrency) else {
                return cell.planned.command != nil
                    ? "command \(cell.mode.name) fetches one asset at a time"
                    : "mode \(cell.mode.name) blocks its thread, so it fetches one asset at a time"
            }
            guard let most = cell.maximumConnections, cell.cell.conditions.concurrency > most,
                !cell.mode.abilities.contains(.connectionLimit)
            else { return nil }
            return "mode \(cell.mode.name) opens a connection for each fetch, so --max-connections does not apply"
        })

    /// The time that the consumer takes for each piece of a body.
    private static let consumerDelay = Dimension(
        flag: "consumer-delay", valueName: "durations",
        help: "Delays of the consumer for each chunk of a body, such as 0,200us (default: 0).",
        suiteKey: "consumer_delays", column: "consumer_delay_ns", word: "delay", isOfOrigin: false,
        note: ["A slow consumer sleeps after each chunk; the size of a chunk depends on the mode."],
        set: { text, conditions throws(PlanMistake) in
            guard let delay = DurationText.nanoseconds(parsing: text), delay <= longestDelay else {
                throw PlanMistake(
                    "invalid --consumer-delay '\(SafeText.forTerminal(text))': expected a duration up to 1s, such as 200us"
                )
            }
            conditions.consumerDelayNanoseconds = delay
        }, text: { DurationText.text(ofNanoseconds: $0.consumerDelayNanoseconds) },
        columnText: { String($0.consumerDelayNanoseconds) },
        obstacle: { cell in
            guard !cell.mode.abilities.contains(.slowConsumer) else { return nil }
            return "mode \(cell.mode.name) does not stream its body, so --consumer-delay does not apply"
        })
    private static let longestDelay = 1_000_000_000

    /// The encoding in which the embedded origin sends a body.
    private static let transfer = words(
        "transfer", kind: "transfer encoding",
        "Transfer encodings of the embedded origin: length, chunked, gzip (default: length).",
        valueName: "encodings", suiteKey: "transfers", isOfOrigin: true, \.transfer
    ) { cell in
        if cell.mode.need == .sink {
            return "mode \(cell.mode.name) uploads the asset, so --transfer does not apply"
        }
        guard cell.cell.conditions.transfer == .gzip, !cell.mode.abilities.contains(.gzip) else { return nil }
        return "mode \(cell.mode.name) does not decode gzip"
    }

    /// The protocol of the embedded origin; CaseObstacle checks the scheme of every URL.
    private static let scheme = words(
        "scheme", kind: "scheme", "Protocols of the embedded origin: http, https (default: http).",
        valueName: "schemes", suiteKey: "schemes", isOfOrigin: true,
        note: [
            "Over TLS, the origin uses a certificate made for the run; the warm-up has loaded the TLS library. URLSession",
            "has no setting for a certificate authority on Linux, so it is given to libcurl before the trial.",
        ], \.scheme)

    /// The mark from which growth counts.
    private static let start = words(
        "start", kind: "start",
        "Start of measurement: warm (after a fetch of 1 KiB), cold (before the client is created) (default: warm).",
        valueName: "starts", suiteKey: "starts",
        note: [
            "A cold start has no warm-up: growth counts from a mark before the client is created, so it includes what the",
            "client loads and keeps besides the body, but not what every process starts with.",
        ], \.start
    ) { cell in
        if cell.planned.command != nil { return "command \(cell.mode.name) is always measured from its start" }
        guard cell.mode.need == .sink else { return nil }
        return "mode \(cell.mode.name) has to prepare its upload first, so it has no cold start"
    }

    private static let scenario = Dimension(
        flag: "scenario", valueName: "scenarios",
        help: "Scenarios to run instead of a single fetch, such as repeat:1000; see `list scenarios` (default: none).",
        suiteKey: "scenarios", column: "scenario", word: "scenario", isOfOrigin: false,
        note: [
            "A scenario runs in the phase `fetch`; what it leaves is measured in `hold`. Its trace depends only on the seed, so",
            "two builds see the same. A variant named after a mistake is a control that makes it on purpose.",
        ],
        set: { text, conditions throws(PlanMistake) in
            guard let choice = ScenarioChoice(text) else {
                throw PlanMistake(
                    "invalid --scenario '\(SafeText.forTerminal(text))': expected NAME, NAME:COUNT or NAME:VARIANT:COUNT "
                        + "(1 to \(ScenarioChoice.mostCount)), such as repeat:1000 or repeat:keep-64:1000")
            }
            conditions.scenario = choice
        }, text: { $0.scenario.text }, columnText: { $0.scenario.text },
        obstacle: { ScenarioObstacle($0).reason })
}

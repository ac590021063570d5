// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs

/// A finding in one line that is safe to print: what changed, by how much, with which confidence, and where.
///
/// `download · hero · imageview · jemalloc: peak +4.1 MiB (+2.5 % of the net peak, 99 % CI +3.8 … +4.4), limit 1.7 MiB, p = 0.00003,
/// confirmed on 30 fresh pairs; phase fetch`
struct FindingLine: Sendable {
    private let finding: Finding
    private let kind: Judgement.Kind
    private let figures: FindingFigures

    init(_ finding: Finding, of kind: Judgement.Kind) {
        self.finding = finding
        figures = FindingFigures(of: finding)
        self.kind = kind
    }

    var text: String {
        "\(JudgementText.caseName(of: finding)): " + (finding.budget.map(broken) ?? compared)
    }

    var textWithVerdict: String { "\(finding.words(in: kind)): \(text)" }

    var command: String? { finding.reproduce.map(SafeText.forTerminal) }

    /// Returns the result of a budget; the reason of an exceeded one is the whole line, including its case.
    private func broken(_ budget: String) -> String {
        let reason = SafeText.forTerminal(finding.reason)
        let prefix = SafeText.forTerminal(finding.cell) + ": "
        if finding.verdict == .overBudget, reason.hasPrefix(prefix) { return String(reason.dropFirst(prefix.count)) }
        let parts = [
            finding.head.map { "measured \(figures.text($0))" }, finding.limit.map { "limit \(figures.text($0))" },
            count,
        ].compactMap(\.self)
        let account = [parts.joined(separator: ", "), reason].filter { !$0.isEmpty }
        return "budget \(JudgementText.formula(budget)): \(account.joined(separator: "; "))"
    }

    private var compared: String {
        let metric = JudgementText.metricName(finding.metric)
        let parts = [
            change, finding.limit.map { "limit \(figures.text($0))" }, probability, confirmation ?? count, detectable,
        ].compactMap(\.self)
        let cause = finding.cause.map { SafeText.forTerminal($0.text) } ?? ""
        let account = [parts.joined(separator: ", "), place, hosts, cause, SafeText.forTerminal(finding.reason)]
        // A change follows the metric directly, medians and reasons after a colon.
        return metric + (finding.effect == nil ? ": " : " ") + account.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    /// The part that moved, else the phase of the peak.
    private var place: String {
        let isServer = finding.isOfServer
        // A server's trial has no other phase.
        let phase = isServer ? nil : finding.phase.map { "phase \($0.rawValue)" }
        switch finding.part {
        case .startAndWarmup?, .scenario?: return finding.part?.words(ofServer: isServer) ?? ""
        case .fetchPath? where finding.hasMoved:
            return [finding.part?.words(ofServer: isServer), phase].compactMap(\.self).joined(separator: ", ")
        case .fetchPath, .command, nil: return phase ?? ""
        }
    }

    /// How far several hosts agree, and their mean; empty for a single host.
    private var hosts: String {
        guard let over = finding.overHosts, let whole = finding.scale, let limit = finding.limit else { return "" }
        let scale = whole / figures.divisor
        func text(_ effect: Double) -> String {
            JudgementText.signed(effect * scale, places: JudgementText.places(of: [effect * scale])) + figures.symbol
        }
        let each = over.changes.map { "\($0.host) \(text($0.effect))" }.joined(separator: ", ")
        let agreement =
            if let host = over.decidedBy {
                "decided by host \(host) alone: \(each)"
            } else if over.differ(by: limit / whole) {
                "the hosts differ: \(each)"
            } else {
                "\(over.changes.count) hosts agree"
            }
        let mean = over.mean.map { mean in
            "; mean over such hosts \(text(mean.effect)) (99 % CI \(JudgementText.interval(mean.interval, scale: scale)))"
        }
        return agreement + (mean ?? "")
    }

    /// The change in the metric's unit and relative to the base, or the medians if no change was computed.
    private var change: String? {
        guard let effect = finding.effect else { return medians }
        let percent = JudgementText.percent(effect)
        guard let whole = finding.scale, let change = finding.change else {
            let interval = finding.interval.map { " (99 % CI \(JudgementText.interval($0, scale: 100)))" }
            return percent + (interval ?? "")
        }
        let scale = whole / figures.divisor
        let scaled = change / figures.divisor
        let interval = finding.interval.map { "99 % CI \(JudgementText.interval($0, scale: scale))" }
        let signed = JudgementText.signed(scaled, places: JudgementText.places(of: [scaled])) + figures.symbol
        let account = [figures.isRelative ? percent + wholeWords : nil, interval].compactMap(\.self)
        return account.isEmpty ? signed : "\(signed) (\(account.joined(separator: ", ")))"
    }

    private var wholeWords: String {
        if finding.metric == JudgedMetric.processorTime.name { return " of the fetch's time" }
        return finding.unit == .bytes ? " of the net peak" : ""
    }

    private var medians: String? {
        let sides = [finding.base.map { "base \(figures.text($0))" }, finding.head.map { "head \(figures.text($0))" }]
        let known = sides.compactMap(\.self)
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }

    private var probability: String? {
        finding.p.map { p in
            let text = JudgementText.p(p)
            return text.hasPrefix("<") ? "p \(text)" : "p = \(text)"
        }
    }

    private var confirmation: String? {
        guard finding.isConfirmed else { return nil }
        let isPaired = kind == .interleaved || kind == .calibration
        return "confirmed on \(finding.headTrials) fresh \(isPaired ? "pairs" : "trials")"
    }

    private var count: String? {
        guard finding.baseTrials + finding.headTrials > 0 else { return nil }
        let count =
            finding.budget == nil
            ? "n = \(finding.baseTrials) + \(finding.headTrials)" : "n = \(finding.headTrials)"
        return finding.verdict == .regressed && kind != .sharded ? count + ", not confirmed" : count
    }

    /// The smallest detectable change, if it is the reason for the verdict.
    private var detectable: String? {
        guard finding.verdict == .inconclusive, let smallest = finding.smallestDetectableChange else { return nil }
        return "smallest detectable change \(figures.detectable(smallest))"
    }
}

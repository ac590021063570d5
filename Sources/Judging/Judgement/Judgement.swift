// SPDX-License-Identifier: Apache-2.0

import Foundation
import Profiles
package import Runs

package struct Finding: Codable, Hashable, Sendable {
    package enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
        /// Takes less than before, confirmed; the limit is not lowered.
        case improved
        case unchanged
        case regressed
        case overBudget = "over_budget"
        case incomparable
        /// The trials are too few for their noise.
        case inconclusive
        case missing
        /// A sampled figure that is too noisy, where an exact one has decided.
        case notJudged = "not_judged"
    }

    /// The case as in the column `case`, or the scope of a budget that matches no case.
    package var cell: String
    package var metric: String
    package var unit: Metric.Unit
    package var verdict: Verdict
    package var base: Double?
    package var head: Double?
    /// The reference of relative changes, in the unit of the metric: the median of the base's net peaks.
    ///
    /// Not the metric's own median, as a growth can be zero. It is 1 for a scenario's figure.
    package var scale: Double?
    /// The change (Hodges–Lehmann) relative to ``scale``: 0.025 is +2.5 % of the process.
    package var effect: Double?
    package var interval: ClosedRange<Double>?
    /// The p-value of the deciding test: of a second look corrected for everything compared, of a first look that settled
    /// the matter one-sided and not corrected.
    package var p: Double?
    /// The smallest significant change, or the limit of a budget; in the unit of the metric.
    package var limit: Double?
    package var baseTrials: Int
    package var headTrials: Int
    package var isConfirmed: Bool
    /// The phase of the head's peak; `nil` for a plain command.
    package var phase: Phase?
    /// The part of the program concerned; `nil` for budgets and metrics that no check judges.
    package var part: JudgedMetric.Part?
    package var better: Metric.Direction?
    /// The smallest change that these trials can detect, relative to ``scale``.
    package var smallestDetectableChange: Double?
    package var overHosts: HostChanges?
    package var budget: String?
    /// The reason if the figures do not show it; otherwise empty.
    package var reason: String
    package var reproduce: String?
    package var cause: Judgement.Cause?

    package init(
        cell: String, metric: String, unit: Metric.Unit, part: JudgedMetric.Part?, verdict: Verdict, reason: String = ""
    ) {
        (self.cell, self.part, self.metric, self.unit) = (cell, part, metric, unit)
        (self.verdict, self.reason) = (verdict, reason)
        baseTrials = 0
        headTrials = 0
        isConfirmed = false
    }

    private enum CodingKeys: String, CodingKey {
        case metric, unit, verdict, base, head, scale, effect, interval, p, limit, phase, budget, reason, reproduce,
            cause, part, better
        case cell = "case"
        case baseTrials = "base_trials"
        case headTrials = "head_trials"
        case isConfirmed = "confirmed"
        case overHosts = "over_hosts"
        case smallestDetectableChange = "smallest_detectable_change"
    }
}

extension Finding {
    package var change: Double? {
        guard let scale, let effect else { return nil }
        return scale * effect
    }

    package var hasMoved: Bool { verdict == .regressed || verdict == .improved }

    package var isOfServer: Bool { cell.hasPrefix(Case.servedAsset + "/") }
}

package struct Judgement: Codable, Hashable, Sendable {
    package static let currentSchema = 2

    package enum Kind: String, Codable, Hashable, Sendable {
        case check
        case storedRuns = "stored_runs"
        /// Two builds or commands, interleaved on this machine.
        case interleaved
        /// The same, in blocks of pairs on one machine or several.
        case sharded
        case calibration

        /// True if one look at all trials decides, as nothing could be measured again.
        package var isOneLook: Bool { self == .storedRuns || self == .sharded }
    }

    /// The version of the format; unknown ones are rejected.
    package var schema: Int
    package var tool: String
    package var kind: Kind
    package var baseName: String
    package var headName: String
    package var judgedAt: String
    package var seed: UInt64
    /// The findings in the order of the plan; reports list the worst first.
    package var findings: [Finding]
    package var warnings: [RunWarning]
    package var environment: MachineEnvironment
    /// True if incomparable findings do not fail; not stored.
    package var toleratesIncomparable = false
    package var evidence: JudgementEvidence?

    package init(
        tool: String, kind: Kind, baseName: String, headName: String, judgedAt: String, seed: UInt64,
        findings: [Finding], warnings: [RunWarning], environment: MachineEnvironment
    ) {
        schema = Self.currentSchema
        (self.tool, self.kind, self.baseName, self.headName) = (tool, kind, baseName, headName)
        (self.judgedAt, self.seed, self.findings) = (judgedAt, seed, findings)
        (self.warnings, self.environment) = (warnings, environment)
    }

    package init(
        _ kind: Kind, of run: RunRecord, in folder: RunFolder, against base: String? = nil, findings: [Finding],
        warnings: [RunWarning], history: [HistoryPoint] = [], tool: String, at time: String
    ) {
        self.init(
            tool: tool, kind: kind, baseName: base ?? run.comparison?.base.name ?? "base",
            headName: base == nil ? run.comparison?.head.name ?? "head" : run.identifier, judgedAt: time,
            seed: run.plan.seed, findings: findings, warnings: warnings, environment: run.environment)
        evidence = JudgementEvidence(run: run, folder: folder, history: history)
    }

    private enum CodingKeys: String, CodingKey {
        case schema, tool, kind, seed, findings, warnings, environment
        case baseName = "base_name"
        case headName = "head_name"
        case judgedAt = "judged_at"
    }

    /// The call stack that explains a change between two builds, found in an extra trial of each.
    package struct Cause: Codable, Hashable, Sendable {
        /// The additional bytes held by its stacks; negative if they hold less.
        package var bytes: Int
        /// The function to look at, or `nil` if no call stack holds the bytes.
        package var function: String?
        package var file: String?
        package var line: Int?
        /// The cause in words: `+16.0 MiB in decode(_:), Decoder.swift:41`.
        package var text: String

        /// Finds the difference of two profiles that explains a change best; `nil` if no stack differs.
        ///
        /// A renamed stack appears as one lost and one new; a growth is explained by what grew.
        init?(from base: HolderProfile, to head: HolderProfile, isGrowth: Bool) {
            guard let found = HolderDifference(base: base, head: head).cause(ofGrowth: isGrowth) else { return nil }
            (bytes, text) = (found.bytes, found.text)
            (function, file, line) = (found.frame?.function, found.frame?.file, found.frame?.line)
        }
    }
}

extension Judgement {
    package enum Answer: Int32, Codable, Hashable, Sendable {
        case within = 0
        case red = 1
        case none = 2
    }

    /// The result: `red` takes precedence over `none`, and `none` over `within`.
    package var answer: Answer {
        if findings.contains(where: { [.regressed, .overBudget].contains($0.verdict) }) { return .red }
        let open: [Finding.Verdict] =
            toleratesIncomparable ? [.missing, .inconclusive] : [.missing, .inconclusive, .incomparable]
        let isOpen = findings.isEmpty || findings.contains { open.contains($0.verdict) }
        return isOpen ? .none : .within
    }
}

package struct JudgementEvidence: Hashable, Sendable {
    /// The run that was judged, or the trials of both sides.
    package var run: RunRecord
    package var folder: RunFolder
    /// The history up to this check; empty if none is kept.
    package var history: [HistoryPoint]

    package init(run: RunRecord, folder: RunFolder, history: [HistoryPoint] = []) {
        (self.run, self.folder, self.history) = (run, folder, history)
    }
}

extension JudgementEvidence {
    /// Returns the change in each pair that a finding is based on, in the unit of the metric.
    package func changes(of finding: Finding) -> [Double] {
        guard let metric = run.metrics[finding.metric] else { return [] }
        let stage = finding.isConfirmed ? PairStage.confirmation : .screening
        let trials = run.trials.filter { $0.pairing?.stage == stage && $0.cell.identifier == finding.cell }
        let side = { (side: Side) in
            trials.filter { $0.pairing?.side == side }.sorted { $0.number < $1.number }
        }
        return zip(side(.base), side(.head)).compactMap { base, head in
            guard base.isCompleted, head.isCompleted, let first = metric.value(base), let second = metric.value(head)
            else { return nil }
            return second - first
        }
    }
}

extension RunStore {
    package static func judgement(in folder: RunFolder) throws -> Judgement {
        let judgement = try conclusion(Judgement.self, in: .judgement, of: folder)
        if let place = judgement.findings.firstIndex(where: { !$0.isWellFormed }) {
            throw FetchBenchError.malformedRun(
                name: "\(folder.name)/\(RunFolder.File.judgement.rawValue)",
                reason: "findings[\(place)] has an impossible figure")
        }
        return judgement
    }

    package static func calibration(in folder: RunFolder) throws -> Calibration {
        let calibration = try conclusion(Calibration.self, in: .calibration, of: folder)
        if let mistake = calibration.mistakes.first {
            throw FetchBenchError.malformedRun(
                name: "\(folder.name)/\(RunFolder.File.calibration.rawValue)", reason: mistake.description)
        }
        return calibration
    }

    package static func survival(in folder: RunFolder) throws -> SurvivalTable {
        try conclusion(SurvivalTable.self, in: .survival, of: folder)
    }

    private static func conclusion<Conclusion: Decodable>(
        _ type: Conclusion.Type, in file: RunFolder.File, of folder: RunFolder
    ) throws -> Conclusion {
        guard folder.has(file) else {
            throw FetchBenchError.nothingToDraw(
                name: folder.name,
                reason: "\(file.rawValue) is missing: the run was interrupted or is still going; --resume finishes it")
        }
        return try StoredDocument.decode(type, from: folder.data(of: file)) {
            .malformedRun(name: folder.name, reason: $0)
        }
    }
}

extension Calibration {
    fileprivate var mistakes: [DocumentMistake] {
        var fields = FieldChecks()
        for index in entries.indices where !fields.isFull {
            let (entry, place) = (entries[index], { "entries[\(index)]" })
            fields.number(entry.trials, "trials", place, to: FieldChecks.Bound(Limits.count))
            fields.number(entry.falseAlarms, "false_alarms", place, to: FieldChecks.Bound(Limits.count))
            fields.number(entry.resamples, "resamples", place, to: FieldChecks.Bound(Limits.count))
            fields.figure(entry.median, "median", place)
            fields.figure(entry.scale, "scale", place)
            fields.figure(entry.variation, "variation", place)
            fields.figure(entry.noiseFloor, "noise_floor", place)
            fields.figure(entry.threshold, "threshold", place)
            fields.figure(entry.smallestDetectableChange, "smallest_detectable_change", place)
            fields.figure(entry.shift, "shift", place)
        }
        return fields.mistakes
    }
}

extension Finding {
    /// True if its figures can be compared and drawn: the scale is a size, and products of two are finite.
    fileprivate var isWellFormed: Bool {
        let figures = [
            base, head, scale, effect, limit, p, smallestDetectableChange, interval?.lowerBound, interval?.upperBound,
        ]
        let ofHosts = (overHosts?.changes ?? []).flatMap { [$0.base, $0.head, $0.effect] }
        let ofMean =
            overHosts?.mean.map { [$0.effect, $0.interval.lowerBound, $0.interval.upperBound, $0.deviation] } ?? []
        return (scale ?? 0) >= 0 && (figures + ofHosts + ofMean).allSatisfy { ($0 ?? 0).magnitude < 0x1p63 }
            && baseTrials >= 0 && headTrials >= 0
    }
}

extension Judgement {
    /// Adds causes to the regressions for which both sides were explained.
    package mutating func explain(by record: ExplanationRecord) {
        for index in findings.indices where findings[index].isExplainable {
            let cell = findings[index].cell
            guard let part = findings[index].explainedPart,
                let base = record.entry(of: cell, side: .base)?[keyPath: part],
                let head = record.entry(of: cell, side: .head)?[keyPath: part]
            else { continue }
            findings[index].cause = Cause(from: base, to: head, isGrowth: true)
        }
    }
}

extension Finding {
    /// True if a difference of holders can be its cause: a growth of memory.
    package var isExplainable: Bool { verdict == .regressed && unit == .bytes && explainedPart != nil }

    fileprivate var explainedPart: KeyPath<ExplanationRecord.Entry, HolderProfile?>? {
        switch part {
        case .fetchPath, .command: \.profile
        case .startAndWarmup: \.start
        case .scenario, nil: nil
        }
    }
}

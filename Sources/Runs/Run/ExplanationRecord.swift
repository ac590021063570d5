// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Profiles

/// Who holds the peaks of a run's cases, as `explain.json` keeps it.
package struct ExplanationRecord: Codable, Hashable, Sendable {
    /// The version of the document in this version of fetchbench.
    package static let currentVersion = 1

    /// One case, of one side where there are two.
    package struct Entry: Codable, Hashable, Sendable {
        /// The identifier of the case.
        package var cell: String
        /// The side of a comparison; `nil` of a run.
        package var side: Side?
        /// Who holds the peak, or `nil` where that cannot be found out.
        package var profile: HolderProfile?
        /// Who held what there was at the mark, of a side of a comparison; `nil` elsewhere.
        package var start: HolderProfile?
        /// The course of the trial that was explained; `nil` of a command.
        package var timeline: ProfileTimeline?
        /// Why not, in words.
        package var obstacle: String?

        /// Creates one.
        package init(
            cell: String, side: Side? = nil, profile: HolderProfile? = nil, start: HolderProfile? = nil,
            timeline: ProfileTimeline? = nil, obstacle: String? = nil
        ) {
            self.cell = cell
            self.side = side
            self.profile = profile
            self.start = start
            self.timeline = timeline
            self.obstacle = obstacle
        }

        private enum CodingKeys: String, CodingKey {
            case side, profile, start, timeline, obstacle
            case cell = "case"
        }
    }

    /// The version of the document; an unknown one is refused.
    package var version = ExplanationRecord.currentVersion
    /// In the order of the plan.
    package var entries: [Entry]

    /// Creates a record.
    package init(entries: [Entry]) { self.entries = entries }

    /// Whether it is of the two sides of a comparison.
    package var isOfComparison: Bool { entries.contains { $0.side != nil } }

    /// What is explained of a case.
    package func entry(of cell: String, side: Side? = nil) -> Entry? {
        entries.first { $0.cell == cell && $0.side == side }
    }
}

extension RunStore {
    /// Writes `explain.json`.
    package static func write(_ record: ExplanationRecord, to folder: RunFolder) throws(FetchBenchError) {
        try folder.write(try RunCoding.compactText(of: record) + "\n", to: .explanation)
    }

    /// Reads `explain.json`.
    /// - Throws: ``FetchBenchError/nothingToDraw(name:reason:)`` where a run has none.
    package static func explanation(in folder: RunFolder) throws(FetchBenchError) -> ExplanationRecord {
        // A folder that is no run is told so in the words of one.
        _ = try folder.has(.run) ? nil : folder.data(of: .run)
        guard folder.has(.explanation) else {
            throw .nothingToDraw(name: folder.name, reason: "no explanation: `fetchbench run --explain` stores one")
        }
        let data = try folder.data(of: .explanation)
        let record: ExplanationRecord
        do {
            record = try JSONDecoder().decode(ExplanationRecord.self, from: data)
        } catch {
            throw .malformedRun(
                name: "\(folder.name)/\(RunFolder.File.explanation.rawValue)",
                reason: DocumentMistake(error).description)
        }
        guard record.version == ExplanationRecord.currentVersion, !record.entries.isEmpty,
            record.entries.allSatisfy({ ($0.profile == nil) != ($0.obstacle == nil) }),
            record.entries.allSatisfy({ [$0.profile, $0.start].allSatisfy { $0?.isWellFormed ?? true } }),
            record.entries.allSatisfy({ $0.timeline.map(isDrawable) ?? true })
        else {
            throw .malformedRun(
                name: "\(folder.name)/\(RunFolder.File.explanation.rawValue)",
                reason: "another version of fetchbench wrote it, its stacks lead nowhere, or its sizes are no machine's"
            )
        }
        return record
    }

    /// Whether what a timeline has can be drawn: its differences stay within 64 bits.
    private static func isDrawable(_ timeline: ProfileTimeline) -> Bool {
        let sizes = timeline.samples.flatMap { [$0.nanoseconds, $0.residentBytes, $0.anonymousBytes ?? 0] }
        let times = timeline.phases.flatMap { [$0.startNanoseconds, $0.endNanoseconds] }
        return (sizes + times + [timeline.peakNanoseconds ?? 0]).allSatisfy { $0.magnitude <= Limits.count }
            && timeline.phases.allSatisfy { $0.startNanoseconds <= $0.endNanoseconds }
            && (timeline.startedAt ?? 0).magnitude <= Limits.largestFigure
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Profiles

/// The holders of the peaks of a run's cases, as stored in `explain.json`.
package struct ExplanationRecord: Codable, Hashable, Sendable {
    package static let currentVersion = 1

    package struct Entry: Codable, Hashable, Sendable {
        package var cell: String
        package var side: Side?
        package var profile: HolderProfile?
        /// The holders at the mark, for a side of a comparison; otherwise `nil`.
        package var start: HolderProfile?
        package var obstacle: String?

        package init(
            cell: String, side: Side? = nil, profile: HolderProfile? = nil, start: HolderProfile? = nil,
            obstacle: String? = nil
        ) {
            (self.cell, self.side, self.profile, self.start) = (cell, side, profile, start)
            self.obstacle = obstacle
        }

        private enum CodingKeys: String, CodingKey {
            case side, profile, start, obstacle
            case cell = "case"
        }
    }

    /// The version of the document; unknown ones are rejected.
    package var version = ExplanationRecord.currentVersion
    package var entries: [Entry]

    package init(entries: [Entry]) { self.entries = entries }

    package var isOfComparison: Bool { entries.contains { $0.side != nil } }

    package func entry(of cell: String, side: Side? = nil) -> Entry? {
        entries.first { $0.cell == cell && $0.side == side }
    }
}

extension RunStore {
    package static func write(_ record: ExplanationRecord, to folder: RunFolder) throws {
        try folder.write(try RunCoding.compactText(of: record) + "\n", to: .explanation)
    }

    package static func explanation(in folder: RunFolder) throws -> ExplanationRecord {
        // Throws the usual error if the folder is not a run.
        _ = try folder.has(.run) ? nil : folder.data(of: .run)
        guard folder.has(.explanation) else {
            throw FetchBenchError.nothingToDraw(
                name: folder.name, reason: "it has no explanation; `fetchbench run --explain` stores one")
        }
        let refusal = {
            FetchBenchError.malformedRun(name: "\(folder.name)/\(RunFolder.File.explanation.rawValue)", reason: $0)
        }
        let record = try StoredDocument.decode(
            ExplanationRecord.self, from: folder.data(of: .explanation), refusal: refusal)
        guard record.version == ExplanationRecord.currentVersion, !record.entries.isEmpty,
            record.entries.allSatisfy({ ($0.profile == nil) != ($0.obstacle == nil) }),
            record.entries.allSatisfy({ [$0.profile, $0.start].allSatisfy { $0?.isWellFormed ?? true } })
        else {
            throw refusal("written by another version of fetchbench, or invalid stack references or sizes")
        }
        return record
    }
}

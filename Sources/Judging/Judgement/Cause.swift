// SPDX-License-Identifier: Apache-2.0

import Profiles
package import Runs
import TrialKit

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
        bytes = found.bytes
        function = found.frame?.function
        file = found.frame?.file
        line = found.frame?.line
        text = found.text
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

    /// The profile of its part of the program.
    fileprivate var explainedPart: KeyPath<ExplanationRecord.Entry, HolderProfile?>? {
        switch part {
        case .fetchPath, .command: \.profile
        case .startAndWarmup: \.start
        case .scenario, nil: nil
        }
    }
}

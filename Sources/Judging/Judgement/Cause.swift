// SPDX-License-Identifier: Apache-2.0

import Profiles
package import Runs
import TrialKit

/// Who holds what has changed between two builds, found out in an extra trial of each.
package struct Cause: Codable, Hashable, Sendable {
    /// By how much the stacks there hold more, in bytes; negative where they hold less.
    package var bytes: Int
    /// The function to look at, or `nil` where no call stack holds it.
    package var function: String?
    /// The name of its source file, or `nil` where that is not known.
    package var file: String?
    /// The line in ``file``.
    package var line: Int?
    /// All of it in words: `+16.0 MiB in decode(_:), Decoder.swift:41`.
    package var text: String

    /// The difference between two profiles that explains a change best, or `nil` where no stack differs.
    ///
    /// A stack that has another name in the other build is gone and new at once: what grew explains a growth.
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
    /// Adds to what moved why it did, as far as both sides were explained.
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
    /// Whether a difference of holders can be its cause: more memory than it was.
    package var isExplainable: Bool { verdict == .regressed && unit == .bytes && explainedPart != nil }

    /// What tells of its part of the program.
    fileprivate var explainedPart: KeyPath<ExplanationRecord.Entry, HolderProfile?>? {
        switch part {
        case .fetchPath, .command: \.profile
        case .startAndWarmup: \.start
        case .scenario, nil: nil
        }
    }
}

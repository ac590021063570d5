// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// What a check judges of each case: only what the program does, never where its file lies.
///
/// The whole peak holds program pages, which follow the page cache: two files with the same bytes differ in it by
/// megabytes. It is printed, and not judged.
package struct JudgedMetric: Sendable {
    /// The part of a program that a metric tells of.
    package enum Part: String, Codable, Hashable, Sendable, CaseIterable {
        /// What is fetched and rendered, from the mark that ends the warm-up on.
        case fetchPath = "fetch_path"
        /// What the process holds when it has started and fetched 1 KiB.
        case startAndWarmup = "start_and_warm_up"

        /// The part as people read it.
        package var words: String {
            switch self {
            case .fetchPath: "fetch path"
            case .startAndWarmup: "start and warm-up"
            }
        }
    }

    /// What it tells of.
    package let part: Part
    /// The metrics that can answer, the best first; all sides of a comparison have to have the one that is judged.
    let alternatives: [Metric]

    /// The growth of a trial without a word about its program pages, or `nil` of a command, whose growth is its whole.
    ///
    /// It stands in where program pages cannot be read: what they add to a growth are tens of KiB, to a whole megabytes.
    static let growthWithProgramPages = Metric(
        Metric.peakResidentGrowth.name, short: Metric.peakResidentGrowth.shortName, .bytes,
        Metric.peakResidentGrowth.summary
    ) { $0.report?.command == nil ? Metric.peakResidentGrowth.value($0) : nil }

    /// Everything that is judged, in the order in which it is shown.
    package static let all = [
        JudgedMetric(part: .fetchPath, alternatives: [.netPeakGrowth, growthWithProgramPages]),
        JudgedMetric(part: .fetchPath, alternatives: [.peakAnonymousGrowth]),
        JudgedMetric(part: .startAndWarmup, alternatives: [.baselineAnonymous]),
    ]

    /// The metrics that are judged where everything can be read.
    package static let metrics = all.map { $0.alternatives[0] }

    /// Every metric that may be judged, and the whole that changes are relative to: what a baseline has to keep.
    static let stored = all.flatMap(\.alternatives) + wholes

    /// The wholes that changes are relative to, the best first.
    static let wholes: [Metric] = [.netPeak, .peakAnonymous]

    /// The part that a metric tells of, or `nil` of one that is not judged.
    package static func part(of metric: String) -> Part? {
        all.first { $0.alternatives.contains { $0.name == metric } }?.part
    }
}

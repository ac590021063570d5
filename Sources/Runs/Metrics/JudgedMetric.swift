// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// What a check judges of each case: of its memory only what the program does, never where its file lies.
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
        /// What a scenario's own figures tell of, such as what a request leaves behind.
        case scenario
        /// A plain command, the whole of it.
        case command

        /// The part as people read it.
        package var words: String {
            switch self {
            case .fetchPath: "fetch path"
            case .startAndWarmup: "start and warm-up"
            case .scenario: "scenario"
            case .command: "command"
            }
        }
    }

    /// What it tells of.
    package let part: Part
    /// The metrics that can answer, the best first; all sides of a comparison have to have the one that is judged.
    package let alternatives: [Metric]
    /// From which change on the figure counts, in its own unit; `nil` of memory, which is judged as a part of a whole.
    package let step: DecidingStep?

    init(_ part: Part, _ alternatives: [Metric], step: DecidingStep? = nil) {
        self.part = part
        self.alternatives = alternatives
        self.step = step
    }

    /// The growth of a trial without a word about its program pages, or `nil` of a command, whose growth is its whole.
    ///
    /// It stands in where program pages cannot be read: what they add to a growth are tens of KiB, to a whole megabytes.
    package static let growthWithProgramPages = Metric(
        Metric.peakResidentGrowth.name, short: Metric.peakResidentGrowth.shortName, .bytes,
        Metric.peakResidentGrowth.summary
    ) { $0.report?.command == nil ? Metric.peakResidentGrowth.value($0) : nil }

    /// The memory of every case, in the order in which it is shown.
    package static let memory = [
        JudgedMetric(.fetchPath, [.netPeakGrowth, growthWithProgramPages]),
        JudgedMetric(.fetchPath, [.peakAnonymousGrowth]),
        JudgedMetric(.startAndWarmup, [.baselineAnonymous]),
    ]

    /// The wholes that changes are relative to, the best first.
    package static let wholes: [Metric] = [.netPeak, .peakAnonymous]
}

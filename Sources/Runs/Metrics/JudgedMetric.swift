// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A metric that a check judges: only the program's own memory, independent of the location of its file.
///
/// The whole peak is shown but not judged: it includes program pages, which depend on the page cache and differ by
/// megabytes between two files with the same bytes.
package struct JudgedMetric: Sendable {
    /// The part of a program that a metric describes.
    package enum Part: String, Codable, Hashable, Sendable, CaseIterable {
        /// The fetching and rendering, from the mark that ends the warm-up.
        case fetchPath = "fetch_path"
        /// The memory of the process after its start and a fetch of 1 KiB.
        case startAndWarmup = "start_and_warm_up"
        /// The figures of a scenario, such as what each request leaves allocated.
        case scenario
        /// A whole plain command.
        case command

        /// The text of reports.
        package var words: String {
            switch self {
            case .fetchPath: "fetch path"
            case .startAndWarmup: "start and warm-up"
            case .scenario: "scenario"
            case .command: "command"
            }
        }
    }

    package let part: Part
    /// The possible metrics, the best first; all sides of a comparison need the one that is judged.
    package let alternatives: [Metric]
    /// The change that counts, in the metric's unit; `nil` for memory, which is judged relative to a whole.
    package let step: DecidingStep?

    init(_ part: Part, _ alternatives: [Metric], step: DecidingStep? = nil) {
        self.part = part
        self.alternatives = alternatives
        self.step = step
    }

    /// The growth of a trial with program pages, or `nil` for a command, whose growth is its whole memory.
    ///
    /// It is used if program pages cannot be read: they add tens of KiB to a growth, but megabytes to a whole.
    package static let growthWithProgramPages = Metric(
        Metric.peakResidentGrowth.name, short: Metric.peakResidentGrowth.shortName, .bytes,
        Metric.peakResidentGrowth.summary
    ) { $0.report?.command == nil ? Metric.peakResidentGrowth.value($0) : nil }

    /// The memory metrics of every case, in the order of display.
    package static let memory = [
        JudgedMetric(.fetchPath, [.netPeakGrowth, growthWithProgramPages]),
        JudgedMetric(.fetchPath, [.peakAnonymousGrowth]),
        JudgedMetric(.startAndWarmup, [.baselineAnonymous]),
    ]

    /// The wholes that changes are relative to, the best first.
    package static let wholes: [Metric] = [.netPeak, .peakAnonymous]
}

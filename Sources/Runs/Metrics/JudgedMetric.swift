// SPDX-License-Identifier: Apache-2.0

import TrialKit

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

    private init(_ part: Part, _ alternatives: [Metric], step: DecidingStep? = nil) {
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

    /// Everything that is judged of a case: its memory, and the figures that decide its scenario.
    package static func all(of cell: Case) -> [JudgedMetric] {
        memory + deciding.filter { $0.scenario == cell.conditions.scenario.name }.map(\.judged)
    }

    /// The figures that decide each scenario.
    private static let deciding =
        ScenarioFigures.all.flatMap { figures in
            figures.columns.compactMap { column in
                column.step.map { (figures.scenario, JudgedMetric(.scenario, [column.metric], step: $0)) }
            }
        } as [(scenario: String, judged: JudgedMetric)]

    /// The metrics that are judged somewhere, where everything can be read, each once.
    package static let metrics: [Metric] = {
        var seen: Set<String> = []
        return (memory + deciding.map(\.judged)).map { $0.alternatives[0] }.filter { seen.insert($0.name).inserted }
    }()

    /// Every metric that may be judged of a case, and the wholes that changes are relative to: what a baseline keeps.
    package static func stored(of cell: Case) -> [Metric] { all(of: cell).flatMap(\.alternatives) + wholes }

    /// The wholes that changes are relative to, the best first.
    package static let wholes: [Metric] = [.netPeak, .peakAnonymous]

    /// The part that a metric tells of, or `nil` of one that is not judged.
    package static func part(of metric: String) -> Part? { named(metric)?.part }

    /// What is judged by a metric; `nil` of one that is not judged.
    package static func named(_ metric: String) -> JudgedMetric? { byName[metric] }

    /// A figure that decides several scenarios does so by one step.
    private static let byName: [String: JudgedMetric] = {
        let named = (memory + deciding.map(\.judged)).flatMap { judged in judged.alternatives.map { ($0.name, judged) }
        }
        return Dictionary(named) { first, second in
            precondition(first.step == second.step, "one figure decides by two steps")
            return first
        }
    }()
}

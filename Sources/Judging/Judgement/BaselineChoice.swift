// SPDX-License-Identifier: Apache-2.0

import Glibc
import OperatingSystem
package import Runs

/// Which baseline a check compares with, and what follows where there is none: decided before anything is measured.
package struct BaselineChoice: Sendable {
    /// Where the baseline is that nobody names.
    package static let usualPath = RunFolder.usualParent + "/baseline.json"

    /// The path of the baseline, named or usual.
    package let path: String
    /// What is compared with, or `nil` where there is nothing.
    package let baseline: Baseline?
    /// What a user should know of the choice.
    package let warnings: [String]
    /// Whether budgets alone may judge.
    private let isOptional: Bool
    /// Whether a baseline is asked for at all.
    private let isWanted: Bool

    /// No baseline: the budgets alone judge.
    package static let none = BaselineChoice(
        path: usualPath, baseline: nil, warnings: [], isOptional: true, isWanted: false)

    private init(path: String, baseline: Baseline?, warnings: [String], isOptional: Bool, isWanted: Bool) {
        self.path = path
        self.baseline = baseline
        self.warnings = warnings
        self.isOptional = isOptional
        self.isWanted = isWanted
    }

    /// Reads the baseline: a mistake in it should not cost a minute.
    ///
    /// What is missing or cannot be read is no obstacle to a new baseline, and what nobody named none to budgets.
    /// - Parameters:
    ///   - name: the path that was named, or `nil`.
    ///   - isReplaced: whether a new one is written in its place.
    ///   - hasBudgets: whether the suite can be judged without.
    /// - Throws: ``FetchBenchError`` where one is needed and cannot be had.
    package init(named name: String?, isReplaced: Bool, hasBudgets: Bool) throws(FetchBenchError) {
        let path = name ?? Self.usualPath
        let isOptional = name == nil && hasBudgets
        var warnings: [String] = []
        var baseline: Baseline?
        do throws(FetchBenchError) {
            let data = try FetchBenchError.onFiles { () throws(FileFailure) in try WholeFile.data(at: path, name: path)
            }
            baseline = try Baseline(parsing: data, from: path)
        } catch {
            switch error {
            case .file(.cannotRead(_, ENOENT)):
                guard isReplaced || isOptional else { throw .noBaseline(path: path) }
            case .malformedBaseline(_, let reason) where isReplaced:
                warnings.append("the older baseline is replaced unread: \(reason)")
            default: throw error
            }
        }
        self.init(
            path: path, baseline: baseline, warnings: warnings, isOptional: isOptional, isWanted: !isReplaced)
    }

    /// Says that there is nothing to compare a run with, where the budgets alone are the judgement; else `nil`.
    package func absence(for run: RunRecord) -> RunWarning? {
        guard isWanted, isOptional else { return nil }
        let cells = run.plan.cases.filter { $0.mode != Case.nullMode }.map(\.identifier)
        let known = baseline.map { baseline in cells.contains { baseline.cases[$0] != nil } }
        guard known != true else { return nil }
        let what = known == nil ? "there is no \(path)" : "\(path) has no case of this suite"
        return RunWarning(
            "\(what): judged by the budgets alone",
            remedy: "`fetchbench check --update --baseline FILE` writes a baseline to name in --baseline")
    }

    /// The new baseline of a run, with what changes; `nil` where not every trial completed, which makes none.
    /// - Parameter resetsAnchor: whether drift is counted from now on, not from the last change that was accepted.
    package func replacement(by run: RunRecord, resetsAnchor: Bool) -> (baseline: Baseline, difference: String)? {
        guard run.trials.allSatisfy(\.isCompleted) else { return nil }
        let newer = Baseline(of: run, after: resetsAnchor ? nil : baseline)
        return (newer, BaselineDifference(older: baseline, newer: newer, of: run.metrics).text)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import OperatingSystem
package import Runs

/// The baseline of a check, or what follows from its absence; decided before anything is measured.
package struct BaselineChoice: Sendable {
    package static let usualPath = RunFolder.usualParent + "/baseline.json"

    package let path: String
    package let baseline: Baseline?
    package let warnings: [String]
    /// True if budgets are enough for a judgement.
    private let isOptional: Bool
    /// True if the run is compared with a baseline.
    private let isWanted: Bool

    /// Judges by budgets alone.
    package static let none = BaselineChoice(
        path: usualPath, baseline: nil, warnings: [], isOptional: true, isWanted: false)
}

extension BaselineChoice {
    /// Reads the baseline before measuring, so that an error in it does not cost a whole run.
    ///
    /// A missing or invalid baseline is ignored if it is to be replaced. A missing one is also ignored if it was not
    /// named and there are budgets.
    /// - Parameters:
    ///   - name: The path given by the user, or `nil` for the default one.
    ///   - isReplaced: True if a new baseline is written in its place.
    ///   - hasBudgets: True if the suite can be judged without a baseline.
    /// - Throws: ``FetchBenchError`` if the baseline is needed and cannot be read.
    package init(named name: String?, isReplaced: Bool, hasBudgets: Bool) throws(FetchBenchError) {
        let path = name ?? Self.usualPath
        let isOptional = name == nil && hasBudgets
        var warnings: [String] = []
        var baseline: Baseline?
        do throws(FetchBenchError) {
            let data = try FetchBenchError.onFiles { () throws(FileFailure) in
                try WholeFile.data(at: path, name: path, allowsPipe: true)
            }
            baseline = try Baseline(parsing: data, from: path)
        } catch {
            switch error {
            case .file(.cannotRead(_, ENOENT)):
                guard isReplaced || isOptional else { throw .noBaseline(path: path) }
            case .malformedBaseline(_, let reason) where isReplaced:
                warnings.append("the old baseline is replaced without being read: \(reason)")
            default: throw error
            }
        }
        self.init(
            path: path, baseline: baseline, warnings: warnings, isOptional: isOptional, isWanted: !isReplaced)
    }

    /// Returns a warning if a run is judged by budgets alone for want of a baseline; otherwise `nil`.
    package func absence(for run: RunRecord) -> RunWarning? {
        guard isWanted, isOptional else { return nil }
        let cells = run.plan.fetchingCases.map(\.identifier)
        let known = baseline.map { baseline in cells.contains { baseline.cases[$0] != nil } }
        guard known != true else { return nil }
        let what = known == nil ? "\(path) does not exist" : "\(path) has no case of this suite"
        return RunWarning(
            "\(what): only budgets are checked",
            remedy: "`fetchbench check --update --baseline FILE` writes a baseline")
    }

    /// Returns the new baseline of a run and its differences, or `nil` if a trial did not complete.
    /// - Parameter resetsAnchor: True to count drift from this run instead of the last accepted change.
    package func replacement(by run: RunRecord, resetsAnchor: Bool) -> (baseline: Baseline, difference: String)? {
        guard run.trials.allSatisfy(\.isCompleted) else { return nil }
        let newer = Baseline(of: run, after: resetsAnchor ? nil : baseline)
        return (newer, BaselineDifference(older: baseline, newer: newer, of: run.metrics).text)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A selection of a run's trials without copying them: a trial has kilobytes, and a run may have ten thousand.
package struct TrialList: RandomAccessCollection, Sendable {
    private let all: [Trial]
    private let places: [Int]

    /// - Parameter places: The indices of the selected trials, or `nil` for all.
    package init(_ all: [Trial], at places: [Int]? = nil) {
        self.all = all
        self.places = places ?? Array(all.indices)
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { places.count }
    package subscript(position: Int) -> Trial { all[places[position]] }
}

extension RunRecord {
    /// The trials by case, each list in the order of execution.
    package var trialsByCase: [Case: TrialList] {
        Dictionary(grouping: trials.indices) { trials[$0].cell }.mapValues { TrialList(trials, at: $0) }
    }
}

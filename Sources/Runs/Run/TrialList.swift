// SPDX-License-Identifier: Apache-2.0

/// Some of the trials of a run, without a copy of them: a trial has kilobytes, and a run may have ten thousand.
package struct TrialList: RandomAccessCollection, Sendable {
    private let all: [Trial]
    private let places: [Int]

    /// Creates a list of trials.
    /// - Parameter places: which of them, by their index; all without it.
    package init(_ all: [Trial], at places: [Int]? = nil) {
        self.all = all
        self.places = places ?? Array(all.indices)
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { places.count }
    package subscript(position: Int) -> Trial { all[places[position]] }
}

extension RunRecord {
    /// The trials by case, each in their order: for whoever asks for those of many cases.
    package var trialsByCase: [Case: TrialList] {
        Dictionary(grouping: trials.indices) { trials[$0].cell }.mapValues { TrialList(trials, at: $0) }
    }
}

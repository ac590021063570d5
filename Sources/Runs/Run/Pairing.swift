// SPDX-License-Identifier: Apache-2.0

/// One of the two builds or commands that are compared on one machine.
package enum Side: String, Codable, Hashable, Sendable, CaseIterable {
    /// What it is compared with.
    case base
    /// What is judged.
    case head
}

/// For what a pair of trials was done.
package enum PairStage: String, Codable, Hashable, Sendable {
    /// The first pair of each case, thrown away: caches of the machine are warm afterwards.
    case warmup
    /// The pairs that every case gets.
    case screening
    /// The fresh pairs of a case that looked changed.
    case confirmation
}

/// Where a trial stands in a comparison.
package struct Pairing: Codable, Hashable, Sendable {
    /// Which build it ran.
    package var side: Side
    /// For what it was done.
    package var stage: PairStage

    /// Creates one.
    package init(side: Side, stage: PairStage) {
        self.side = side
        self.stage = stage
    }
}

/// The trials of one case on both sides.
package struct PairedTrials: Hashable, Sendable {
    /// The trials of the base, in the order of the pairs.
    package var base: [Trial] = []
    /// The trials of the head, in the order of the pairs.
    package var head: [Trial] = []

    /// Creates an empty set.
    package init() {}

    /// Creates a set.
    package init(base: [Trial], head: [Trial]) {
        self.base = base
        self.head = head
    }

    /// The trials of a side.
    package subscript(side: Side) -> [Trial] {
        get { side == .base ? base : head }
        set { if side == .base { base = newValue } else { head = newValue } }
    }
}

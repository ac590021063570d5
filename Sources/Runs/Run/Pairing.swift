// SPDX-License-Identifier: Apache-2.0

/// One of the two builds or commands that are compared on one machine.
package enum Side: String, Codable, Hashable, Sendable, CaseIterable {
    /// The reference.
    case base
    /// The candidate that is judged.
    case head
}

/// The purpose of a pair of trials.
package enum PairStage: String, Codable, Hashable, Sendable {
    /// The discarded first pair of each case, which warms the caches of the machine.
    case warmup
    /// The pairs that every case gets.
    case screening
    /// The additional pairs of a case that seems changed.
    case confirmation
}

/// The position of a trial in a comparison.
package struct Pairing: Codable, Hashable, Sendable {
    package var side: Side
    package var stage: PairStage

    package init(side: Side, stage: PairStage) {
        self.side = side
        self.stage = stage
    }
}

/// The trials of one case on both sides, in the order of the pairs.
package struct PairedTrials: Hashable, Sendable {
    package var base: [Trial] = []
    package var head: [Trial] = []

    package init() {}

    package init(base: [Trial], head: [Trial]) {
        self.base = base
        self.head = head
    }

    package subscript(side: Side) -> [Trial] {
        get { side == .base ? base : head }
        set { if side == .base { base = newValue } else { head = newValue } }
    }
}

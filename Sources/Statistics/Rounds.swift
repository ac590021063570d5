// SPDX-License-Identifier: Apache-2.0

/// The turns of subjects: each once a round in a seeded order, so that drift of the machine affects all alike.
///
/// A subject that is given up has no further turns, so that a hanging one costs one wait; the order and the draws of
/// the others stay the same.
package struct Rounds<Subject: Hashable, Chance>: Sequence, IteratorProtocol {
    package struct Turn {
        package let subject: Subject
        package let chance: Chance
        package let round: Int
        package let position: Int
        package let count: Int
    }

    package private(set) var generator: SeededGenerator
    package private(set) var givenUp: Set<Subject> = []
    private let subjects: [Subject]
    private let count: Int
    private let draw: (inout SeededGenerator) -> Chance
    private var order: [Subject] = []
    private var taken = 0

    package init(
        of subjects: [Subject], count: Int, by generator: SeededGenerator,
        drawing draw: @escaping (inout SeededGenerator) -> Chance
    ) {
        (self.subjects, self.count, self.generator, self.draw) = (subjects, count, generator, draw)
    }

    package mutating func next() -> Turn? {
        while taken < count * subjects.count {
            let (round, place) = taken.quotientAndRemainder(dividingBy: subjects.count)
            if place == 0 { order = subjects.shuffled(using: &generator) }
            taken += 1
            let chance = draw(&generator)
            guard !givenUp.contains(order[place]) else { continue }
            return Turn(
                subject: order[place], chance: chance, round: round + 1, position: taken, count: count * subjects.count)
        }
        return nil
    }

    package mutating func giveUp(_ subject: Subject) { givenUp.insert(subject) }
}

extension Rounds where Chance == Void {
    package init(of subjects: [Subject], count: Int, seed: UInt64) {
        self.init(of: subjects, count: count, by: SeededGenerator(seed: seed)) { _ in }
    }
}

/// A small random number generator, reproducible by its seed.
///
/// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

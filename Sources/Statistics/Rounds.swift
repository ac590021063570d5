// SPDX-License-Identifier: Apache-2.0

/// The turns of subjects, round by round: in each round every subject once, in an order that follows from a seed, so that a
/// drift of the machine meets all alike.
///
/// A subject that is given up has no further turn, so that one which hangs is waited for once; whose turn it is otherwise,
/// and what is drawn for it, stays the same.
package struct Rounds<Subject: Hashable, Chance>: Sequence, IteratorProtocol {
    /// What one subject does in one round.
    package struct Turn {
        /// Whose it is.
        package let subject: Subject
        /// What is drawn for it.
        package let chance: Chance
        /// Its round, from 1.
        package let round: Int
        /// Which one it is of all turns, from 1.
        package let position: Int
        /// How many turns there are, those of subjects that were given up among them.
        package let count: Int
    }

    /// What the turns that were taken have left of it.
    package private(set) var generator: SeededGenerator
    /// Those that have no further turn.
    package private(set) var givenUp: Set<Subject> = []
    private let subjects: [Subject]
    private let count: Int
    private let draw: (inout SeededGenerator) -> Chance
    private var order: [Subject] = []
    private var taken = 0

    /// Creates the rounds of subjects.
    /// - Parameters:
    ///   - count: how many rounds there are.
    ///   - draw: what each turn draws by chance.
    package init(
        of subjects: [Subject], count: Int, by generator: SeededGenerator,
        drawing draw: @escaping (inout SeededGenerator) -> Chance
    ) {
        (self.subjects, self.count, self.generator, self.draw) = (subjects, count, generator, draw)
    }

    /// The next turn, or `nil` after the last.
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

    /// Gives a subject no further turn.
    package mutating func giveUp(_ subject: Subject) { givenUp.insert(subject) }
}

extension Rounds where Chance == Void {
    /// Creates the rounds of subjects that draw nothing.
    package init(of subjects: [Subject], count: Int, seed: UInt64) {
        self.init(of: subjects, count: count, by: SeededGenerator(seed: seed)) { _ in }
    }
}

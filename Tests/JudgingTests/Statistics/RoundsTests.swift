// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

/// Whose turn it is follows from the seed alone: stored sessions are resumed by it.
struct RoundsTests {
    private static let subjects = ["a", "b", "c", "d", "e"]

    private static func rounds(seed: UInt64 = 7) -> Rounds<String, UInt64> {
        Rounds(of: subjects, count: 4, by: SeededGenerator(seed: seed)) { $0.next() }
    }

    @Test func eachRoundHasEverySubjectOnceInAnOrderOfItsOwn() {
        let turns = Array(Self.rounds())
        #expect(turns.map(\.position) == Array(1...20) && turns.allSatisfy { $0.count == 20 })
        let orders = (1...4).map { round in turns.filter { $0.round == round }.map(\.subject) }
        #expect(orders.allSatisfy { $0.sorted() == Self.subjects } && Set(orders).count > 1)
        #expect(Self.rounds(seed: 8).map(\.subject) != turns.map(\.subject))
    }

    /// A round is shuffled as a whole, and what its turns draw is drawn in between.
    @Test func theOrderIsThatOfTheGenerator() {
        var generator = SeededGenerator(seed: 7)
        var rounds = Self.rounds()
        for _ in 0..<4 {
            for subject in Self.subjects.shuffled(using: &generator) {
                let turn = rounds.next()
                #expect(turn?.subject == subject && turn?.chance == generator.next())
            }
        }
        #expect(rounds.next() == nil && rounds.generator == generator)
    }

    /// Also the draws of who was given up are made.
    @Test func abandonedCasesDoNotAffectTheOthers() {
        var rounds = Self.rounds()
        var left: [[UInt64]] = []
        while let turn = rounds.next() {
            if turn.subject == "c" { rounds.giveUp("c") } else { left.append([UInt64(turn.position), turn.chance]) }
        }
        #expect(left == Self.rounds().filter { $0.subject != "c" }.map { [UInt64($0.position), $0.chance] })
        #expect(left.count == 16 && rounds.givenUp == ["c"])
    }

    @Test func noCasesHaveNoTurn() {
        #expect(Array(Rounds(of: [Int](), count: 3, seed: 1)).isEmpty)
        #expect(Array(Rounds(of: [1], count: 0, seed: 1)).isEmpty)
    }
}

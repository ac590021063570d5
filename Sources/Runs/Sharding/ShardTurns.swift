// SPDX-License-Identifier: Apache-2.0

/// All trials of a plan that shards measure together, in the order of their numbers.
package struct ShardTurns: Sequence, IteratorProtocol {
    private var source: any IteratorProtocol<Turn>
    private var givenUp: Set<Int> = []

    package init(of plan: Plan, _ sharding: Sharding) {
        source =
            sharding.blocks.map { BlockTurns(plan, blocks: $0, shards: sharding.count) }
            ?? RoundTurns(plan, shards: sharding.count)
    }

    package mutating func next() -> Turn? {
        while let turn = source.next() {
            if givenUp.isEmpty || !givenUp.contains(turn.place) { return turn }
        }
        return nil
    }

    /// Leaves out the further trials of the case at a place of the plan.
    package mutating func giveUp(_ place: Int) { givenUp.insert(place) }

    /// The trials of a run: each case in every round; all of a case on one shard.
    private struct RoundTurns: IteratorProtocol {
        private var rounds: Rounds<Int, UInt64>
        private let shards: [Int]

        init(_ plan: Plan, shards count: Int) {
            rounds = plan.rounds(of: Array(plan.cases.indices))
            let assignments = Shard.assignments(of: plan.cases.map(\.identifier), count: count)
            shards = plan.cases.map { assignments[$0.identifier] ?? 0 }
        }

        mutating func next() -> Turn? {
            rounds.next().map { turn in
                Turn(
                    trial: turn.position, place: turn.subject, seed: turn.chance, pairing: nil,
                    shard: shards[turn.subject])
            }
        }
    }

    package struct Turn: Hashable, Sendable {
        package let trial: Int
        package let place: Int
        package let seed: UInt64
        /// The side and stage of a comparison's trial; `nil` in a run.
        package let pairing: Pairing?
        package let shard: Int
    }
}

/// The trials of a comparison: blocks of pairs of one case, each on one shard, after a pair that warms up.
///
/// Base and head meet on one machine, and the blocks of a case on several. Every round has one pair of each block, so that
/// the blocks of a shard alternate.
private struct BlockTurns: IteratorProtocol {
    private let blocks: [(place: Int, shard: Int)]
    private let rounds: Int
    private let seed: UInt64
    private var taken = 0
    private var pair: (sides: [Side], seed: UInt64) = ([], 0)

    init(_ plan: Plan, blocks count: Int, shards: Int) {
        let names = Self.names(of: plan, blocks: count)
        let assignments = Self.assignments(of: names, shards: shards)
        let places = Dictionary(uniqueKeysWithValues: zip(plan.cases, plan.cases.indices))
        blocks = names.map { (places[$0.cell] ?? 0, assignments[$0.name] ?? 0) }
        rounds = 1 + plan.trials
        seed = plan.seed
    }

    /// Returns the blocks of all cases, by names that do not change with the plan.
    static func names(of plan: Plan, blocks: Int) -> [(name: String, cell: Case)] {
        (1...Swift.max(blocks, 1)).flatMap { block in
            plan.fetchingCases.map { (name: "\($0.identifier)#\(block)", cell: $0) }
        }
    }

    static func assignments(of names: [(name: String, cell: Case)], shards: Int) -> [String: Int] {
        let cells = Dictionary(uniqueKeysWithValues: names.map { ($0.name, $0.cell.identifier) })
        return Shard.assignments(of: names.map(\.name), count: shards) { cells[$0] }
    }

    mutating func next() -> ShardTurns.Turn? {
        let (number, place) = taken.quotientAndRemainder(dividingBy: 2)
        guard number < rounds * blocks.count else { return nil }
        if place == 0 {
            // Each pair has draws of its own: a shard runs some of them alone.
            var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0xD1B5_4A32_D192_ED03)
            pair = (Side.allCases.shuffled(using: &generator), generator.next())
        }
        taken += 1
        let block = blocks[number % blocks.count]
        return ShardTurns.Turn(
            trial: taken, place: block.place, seed: pair.seed,
            pairing: Pairing(side: pair.sides[place], stage: number < blocks.count ? .warmup : .screening),
            shard: block.shard)
    }
}

extension Sharding {
    package static let usualBlocks = 4
    /// The number of pairs of a block, beside the one that warms up.
    package static let pairsOfBlock = 8

    package func cases(of shard: Shard, in plan: Plan) -> [Case] {
        guard let blocks else { return plan.cases(of: shard) }
        let names = BlockTurns.names(of: plan, blocks: blocks)
        let assignments = BlockTurns.assignments(of: names, shards: count)
        let own = Set(names.filter { assignments[$0.name] == shard.number }.map(\.cell))
        return plan.cases.filter(own.contains)
    }
}

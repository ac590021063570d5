// SPDX-License-Identifier: Apache-2.0

import Statistics

/// Makes inputs of real documents: the number of an input and a seed say everything about it.
struct Mutator: Sendable {
    /// Longer inputs only take longer.
    static let longest = 1 << 16

    private let seeds: [[UInt8]]
    private let isBinary: Bool
    /// What words are exchanged with, from all seeds.
    private let vocabulary: [[UInt8]]

    init(seeds: [[UInt8]], isBinary: Bool) {
        self.seeds = seeds
        self.isBinary = isBinary
        var seen: Set<[UInt8]> = []
        vocabulary =
            isBinary
            ? []
            : seeds.flatMap { seed in Token.all(in: seed).map { Array(seed[$0.range]) } }.filter {
                seen.insert($0).inserted
            }
    }

    /// The input of a number; the first ones are the seeds as they are.
    func input(_ number: Int, seed: UInt64) -> [UInt8] {
        guard !seeds.isEmpty else { return [] }
        if number < seeds.count { return seeds[number] }
        var generator = SeededGenerator(seed: seed &+ UInt64(truncatingIfNeeded: number) &* 0xD134_2543_DE82_EF95)
        return mutated(seeds[generator.index(below: seeds.count)], &generator)
    }

    /// A document with a few changes.
    func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        // One change mostly: what is wrong in many places is refused for the first of them.
        repeat {
            if isBinary {
                WordMutation.apply(to: &bytes, &generator)
            } else {
                TextMutation(vocabulary: vocabulary).apply(to: &bytes, &generator)
            }
        } while generator.index(below: 3) == 0
        return bytes.count > Self.longest ? Array(bytes.prefix(Self.longest)) : bytes
    }
}

extension SeededGenerator {
    /// A number from 0 to below a limit; 0 where there is none.
    mutating func index(below limit: Int) -> Int {
        limit > 1 ? Int(truncatingIfNeeded: next() % UInt64(limit)) : 0
    }

    /// One of several.
    mutating func one<Element>(of choices: [Element]) -> Element {
        choices[index(below: choices.count)]
    }

    /// A part of something that long; empty where that is.
    mutating func range(in count: Int, upTo most: Int = .max) -> Range<Int> {
        let start = index(below: count)
        return start..<min(count, start + 1 + index(below: min(most, max(1, count - start))))
    }
}

/// Changes at bytes: for both kinds of documents.
enum ByteMutation {
    private static let insertions: [[UInt8]] = [
        [0], [0xFF], [0xC3], [0xEF, 0xBB, 0xBF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x0D], [0x0A],
        [0x0D, 0x0A],
        [0x1B, 0x5B], [0xE2, 0x80, 0xA8], [0xCC, 0x81], [0x20], [0x09],
    ]

    static func apply(to bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return bytes += generator.one(of: insertions) }
        let place = generator.index(below: bytes.count)
        switch generator.index(below: 8) {
        case 0: bytes[place] ^= 1 << UInt8(generator.index(below: 8))
        case 1: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
        case 2, 3: bytes.insert(contentsOf: generator.one(of: insertions), at: place)
        case 4: bytes.removeSubrange(generator.range(in: bytes.count, upTo: 64))
        case 5: bytes.removeSubrange(place...)
        case 6: bytes.insert(contentsOf: bytes[generator.range(in: bytes.count, upTo: 256)], at: place)
        default: bytes.insert(contentsOf: generator.one(of: insertions), at: 0)
        }
    }
}

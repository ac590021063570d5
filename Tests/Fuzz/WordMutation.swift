// SPDX-License-Identifier: Apache-2.0

import Statistics

/// Changes to a document of words of 32 and 64 bits, the lowest byte first.
enum WordMutation {
    private static let extremes: [UInt64] = [
        0, 1, 2, 7, 8, 63, 64, 4095, 4096, 1 << 20, 1 << 31, 1 << 32, (1 << 32) - 1, 1 << 46, 1 << 47, (1 << 47) - 1,
        1 << 50,
        1 << 56, 1 << 57, (1 << 57) - 1, 1 << 62, 1 << 63, (1 << 63) - 1, .max, .max - 4095, .max - 1, 0x7FFF_FFFF_F000,
    ]

    static func apply(to bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard bytes.count >= 16 else { return ByteMutation.apply(to: &bytes, &generator) }
        // The head says how long everything else is: half of all changes are there.
        let count = generator.index(below: 2) == 0 ? min(bytes.count, 256) : bytes.count
        let word = generator.index(below: count / 8) * 8
        switch generator.index(below: 12) {
        case 0...3: write(generator.one(of: extremes), to: word, 8, &bytes)
        case 4, 5: write(near(read(word, bytes), &generator), to: word, 8, &bytes)
        case 6: write(generator.one(of: extremes), to: word + 4 * generator.index(below: 2), 4, &bytes)
        case 7: write(read(generator.index(below: bytes.count / 8) * 8, bytes), to: word, 8, &bytes)
        case 8: bytes.removeSubrange(word..<min(word + 8 * (1 + generator.index(below: 6)), bytes.count))
        case 9: bytes.insert(contentsOf: Array(bytes[word..<min(word + 40, bytes.count)]), at: word)
        case 10: bytes[generator.index(below: bytes.count)] ^= 1 << UInt8(generator.index(below: 8))
        default: ByteMutation.apply(to: &bytes, &generator)
        }
    }

    private static func near(_ number: UInt64, _ generator: inout SeededGenerator) -> UInt64 {
        generator.one(of: [
            number &+ 1, number &- 1, number &+ 4096, number &- 4096, number &* 2, number / 2, ~number, number &+ 8,
            number | 1 << 63,
        ])
    }

    private static func read(_ place: Int, _ bytes: [UInt8]) -> UInt64 {
        bytes[place..<min(place + 8, bytes.count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func write(_ number: UInt64, to place: Int, _ size: Int, _ bytes: inout [UInt8]) {
        for offset in 0..<size where place + offset < bytes.count {
            bytes[place + offset] = UInt8(truncatingIfNeeded: number >> UInt64(8 * offset))
        }
    }
}

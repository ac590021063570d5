// SPDX-License-Identifier: Apache-2.0

import Statistics

/// A word of a document: a quoted text, a number, another word, or a single sign.
struct Token {
    enum Kind {
        case text
        case number
        case word
        case sign
    }

    let kind: Kind
    let range: Range<Int>

    /// The tokens of a document of any kind: JSON, YAML, `/proc`, HTTP.
    static func all(in bytes: [UInt8]) -> [Token] {
        var tokens: [Token] = []
        var place = 0
        while place < bytes.count {
            let start = place
            if bytes[place] <= 0x20 {
                place += 1
                continue
            }
            let kind = take(bytes, &place)
            tokens.append(Token(kind: kind, range: start..<place))
        }
        return tokens
    }

    private static func take(_ bytes: [UInt8], _ place: inout Int) -> Kind {
        let first = bytes[place]
        place += 1
        if first == UInt8(ascii: "\"") {
            while place < bytes.count, bytes[place] != first, bytes[place] != 10 {
                place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
            }
            place = min(place + 1, bytes.count)
            return .text
        }
        guard isWord(first) else { return .sign }
        while place < bytes.count, isWord(bytes[place]) { place += 1 }
        return isDigit(first) || first == UInt8(ascii: "-") ? .number : .word
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte >= 0x80
    }
}

/// Changes to a text that know its words, its lines and, in JSON, its members.
struct TextMutation {
    private static let numbers = [
        "0", "-0", "-1", "1", "2", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e300", "-1e300", "1e999", "1e-300",
        "0.1",
        "1.5", "4294967296", "2147483648", "-2147483648", "2147483647", "281474976710656", "35184372088832",
        "9007199254740993", "4503599627370497", "9007199254740992000", "1000000000000000000", "00", "0x10", "1_000",
        "NaN",
        "ffffffffffffffff", "fffffffffffff000", "7fffffffffffffff",
    ].map { Array($0.utf8) }
    private static let values = [
        "null", "true", "false", "\"\"", "\"NaN\"", "\"1\"", "[]", "{}", "[null]", "[[]]", "\"\\u0000\"", "\"\\ud800\"",
        "\"a\\n::error::b\"", "\"../..\"", "\"none\"", "\"\\u202e\\u0301\"", "- -", "~", "!!binary x", "&a *a", "NaN",
        "-inf",
        "nan", "%00", "%zz", "*",
    ].map { Array($0.utf8) }
    private static let nestings = [
        "[", "{\"a\":", "(", "- ", "-", "a: ", "%", "&", "{", "\"", "0", "a", " ", "\r\n", "é",
    ].map {
        Array($0.utf8)
    }

    let vocabulary: [[UInt8]]

    func apply(to bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        switch generator.index(below: 16) {
        case 0...5: replaceToken(of: &bytes, &generator)
        case 6, 7: exchangeTokens(of: &bytes, &generator)
        case 8, 9: changeLines(of: &bytes, &generator)
        case 10...13: changeMember(of: &bytes, &generator)
        case 14: ByteMutation.apply(to: &bytes, &generator)
        default:
            if generator.index(below: 8) == 0 { nest(&bytes, &generator) } else { replaceToken(of: &bytes, &generator) }
        }
    }

    private func replaceToken(of bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let tokens = Token.all(in: bytes)
        guard !tokens.isEmpty else { return bytes = generator.one(of: Self.values) }
        let numbers = generator.index(below: 2) == 0 ? tokens.filter { $0.kind == .number } : []
        let token = generator.one(of: numbers.isEmpty ? tokens : numbers)
        bytes.replaceSubrange(token.range, with: replacement(for: token, Array(bytes[token.range]), &generator))
    }

    private func replacement(for token: Token, _ old: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        switch (token.kind, generator.index(below: 8)) {
        case (.number, 0...3): return generator.one(of: Self.numbers)
        case (.number, 4), (.number, 5): return Self.near(old, &generator)
        case (_, 6) where !vocabulary.isEmpty: return generator.one(of: vocabulary)
        case (.text, 0...2): return [0x22] + longText(&generator) + [0x22]
        case (.word, 0): return longText(&generator)
        case (.word, 1): return generator.one(of: Self.numbers)
        default: return generator.one(of: Self.values)
        }
    }

    /// A number beside another one, or in another size.
    private static func near(_ old: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        let text = String(decoding: old, as: UTF8.self)
        guard let number = Int(text) else { return generator.one(of: numbers) }
        let others = [
            number &+ 1, number &- 1, number &* 2, number / 2, 0 &- number, number &* 1024, number &+ 4096,
            number &- 4096,
            number &* 1_000_000,
        ]
        return Array(String(generator.one(of: others)).utf8)
    }

    private func longText(_ generator: inout SeededGenerator) -> [UInt8] {
        let unit = generator.one(of: Self.nestings)
        let count = generator.index(below: 32) == 0 ? 5000 : [1, 8, 64, 300][generator.index(below: 4)]
        return Array(repeatElement(unit, count: count).joined())
    }

    private func exchangeTokens(of bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let tokens = Token.all(in: bytes)
        guard tokens.count > 1 else { return ByteMutation.apply(to: &bytes, &generator) }
        let first = generator.index(below: tokens.count - 1)
        let (one, other) = (tokens[first], tokens[first + 1 + generator.index(below: tokens.count - 1 - first)])
        let text = Array(bytes[one.range])
        switch generator.index(below: 4) {
        case 0: bytes.removeSubrange(one.range)
        case 1: bytes.insert(contentsOf: text, at: one.range.lowerBound)
        case 2: bytes.replaceSubrange(other.range, with: text)
        default:
            let later = Array(bytes[other.range])
            bytes.replaceSubrange(other.range, with: text)
            bytes.replaceSubrange(one.range, with: later)
        }
    }

    private func changeLines(of bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
        guard lines.count > 2 else { return changeMember(of: &bytes, &generator) }
        let place = generator.index(below: lines.count)
        switch generator.index(below: 5) {
        case 0: lines.remove(at: place)
        case 1: lines.insert(lines[place], at: generator.index(below: lines.count))
        case 2: lines.swapAt(place, generator.index(below: lines.count))
        case 3: lines[place].append(0x0D)
        default: lines[place] = Array(lines[place].prefix(generator.index(below: lines[place].count + 1)))
        }
        bytes = Array(lines.joined(separator: [10]))
    }

    private func nest(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let unit = generator.one(of: Self.nestings)
        let depth = min([70, 600, 20_000][generator.index(below: 3)], Mutator.longest / 2 / unit.count)
        let tokens = Token.all(in: bytes)
        let place = tokens.isEmpty ? 0 : generator.one(of: tokens).range.lowerBound
        bytes.insert(contentsOf: repeatElement(unit, count: depth).joined(), at: place)
    }
}

extension TextMutation {
    /// Drops, doubles or replaces a member of an object of JSON, or puts it elsewhere.
    private func changeMember(of bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let tokens = Token.all(in: bytes)
        let keys = tokens.indices.filter { index in
            tokens[index].kind == .text && index + 1 < tokens.count && bytes[tokens[index + 1].range.lowerBound] == 0x3A
        }
        guard !keys.isEmpty else { return replaceToken(of: &bytes, &generator) }
        let key = generator.one(of: keys)
        let value = valueRange(behind: key, tokens, bytes)
        let member = tokens[key].range.lowerBound..<value.upperBound
        switch generator.index(below: 6) {
        case 0, 1:
            var range = member
            // With the comma behind it, or before it where it is the last one.
            let next = tokens.first { $0.range.lowerBound >= member.upperBound }
            if let next, bytes[next.range.lowerBound] == 0x2C {
                range = member.lowerBound..<next.range.upperBound
            } else if key > 0, bytes[tokens[key - 1].range.lowerBound] == 0x2C {
                range = tokens[key - 1].range.lowerBound..<member.upperBound
            }
            bytes.removeSubrange(range)
        case 2: bytes.insert(contentsOf: Array(bytes[member]) + [0x2C], at: member.lowerBound)
        case 3: bytes.replaceSubrange(value, with: generator.one(of: Self.values))
        case 4: bytes.replaceSubrange(value, with: generator.one(of: Self.numbers))
        default:
            let other = valueRange(behind: generator.one(of: keys), tokens, bytes)
            bytes.replaceSubrange(value, with: Array(bytes[other]))
        }
    }

    private func valueRange(behind key: Int, _ tokens: [Token], _ bytes: [UInt8]) -> Range<Int> {
        guard key + 2 < tokens.count else { return tokens[key].range.upperBound..<tokens[key].range.upperBound }
        var depth = 0
        var place = key + 2
        while place < tokens.count {
            switch (tokens[place].kind, bytes[tokens[place].range.lowerBound]) {
            case (.sign, 0x5B), (.sign, 0x7B): depth += 1
            case (.sign, 0x5D), (.sign, 0x7D): depth -= 1
            default: break
            }
            if depth <= 0 { break }
            place += 1
        }
        let end = tokens[min(place, tokens.count - 1)].range.upperBound
        return tokens[key + 2].range.lowerBound..<max(end, tokens[key + 2].range.upperBound)
    }
}

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

/// Makes inputs of real documents: the number of an input and a seed say everything about it.
struct Mutator: Sendable {
    /// Longer inputs only take longer.
    static let longest = 1 << 16

    private let seeds: [[UInt8]]
    private let isBinary: Bool
    /// Replacement words from all seeds.
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

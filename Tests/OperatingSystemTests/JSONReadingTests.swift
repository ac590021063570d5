// SPDX-License-Identifier: Apache-2.0

import Foundation
import OperatingSystem
import Statistics
import Testing
import Texts

/// A value with one property of each kind of JSON.
private struct Everything: Codable, Hashable {
    enum Word: String, Codable { case one, two }

    var whole: Int
    var large: UInt64
    var small: Int8?
    var number: Double
    var isTrue: Bool
    var text: String
    var word: Word
    var list: [Int]
    var nested: [[Double?]]
    var table: [String: Double]
    var inner: Inner?

    struct Inner: Codable, Hashable {
        var deep: [String: [String: String]]
    }

    static let sample = Everything(
        whole: -42, large: .max, small: -7, number: 0.1, isTrue: true,
        text: "é, 🦜, \"quoted\" \\ / \n\t\u{7F} and a string of more than fifteen bytes", word: .two, list: [1, 2, 3],
        nested: [[], [1.5e300, nil, -0.0]], table: ["a": 1, "b key": 2.5, "": 3],
        inner: Inner(deep: ["x": [:], "y": ["k": "v"]]))
}

/// What a decoder makes of bytes; `nil` where it refuses them.
private func ours<Value: Decodable>(_ type: Value.Type, _ data: Data) -> Value? {
    data.withUnsafeBytes {
        try? JSONValueDecoder(repeating: [String.self]).decode(type, from: $0.bindMemory(to: UInt8.self))
    }
}

/// The same by Foundation, where it reads what RFC 8259 calls JSON: it passes over mistakes in what nobody asks for, and
/// over a comma behind the last item.
private func theirs<Value: Decodable>(_ type: Value.Type, _ data: Data) -> Value? {
    guard (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil else { return nil }
    let withoutStrings = String(decoding: data, as: UTF8.self).replacing(/"(\\.|[^"\\])*"/, with: "\"\"")
    guard !withoutStrings.contains(/,\s*[\]}]/) else { return nil }
    return try? JSONDecoder().decode(type, from: data)
}

struct JSONValueDecoderTests {
    @Test(arguments: [JSONEncoder.OutputFormatting.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    func aValueIsWhatItWas(formatting: JSONEncoder.OutputFormatting) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        let data = try encoder.encode(Everything.sample)
        #expect(ours(Everything.self, data) == .sample)
    }

    @Test(arguments: [
        "0", "-0", "1.0", "1e3", "-1E-2", "12345678901234567890", "1e400", "01", "1.", ".5", "-", "+1", "1e", "0x1",
        "128", "-129", "127", "9223372036854775808", "-9223372036854775808", "0.1", "123456789012345.5", "1e-400",
    ])
    func numbersAreThoseOfFoundation(text: String) {
        let data = Data("[\(text)]".utf8)
        #expect(ours([Double].self, data) == theirs([Double].self, data))
        #expect(ours([Int].self, data) == theirs([Int].self, data))
        #expect(ours([Int8].self, data) == theirs([Int8].self, data))
        #expect(ours([UInt64].self, data) == theirs([UInt64].self, data))
    }

    @Test(arguments: [
        #""a""#, #""\u00e9\uD83E\uDD9C""#, #""\uD83E""#, #""\uDD9C""#, #""\uD83E\u0041""#, #""\x""#, #""\""#, "\"\n\"",
        #""\b\f\n\r\t\/\\\"""#, #""\u12G4""#, #""\u12""#, "\"\u{7F}é\"", #""#, #"""#, "'a'", #""\u0000""#,
    ])
    func stringsAreThoseOfFoundation(text: String) {
        let data = Data("[\(text)]".utf8)
        #expect(ours([String].self, data) == theirs([String].self, data))
    }

    @Test func whatIsNoTextIsRefused() {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
            let data = Data("[\"".utf8 + bytes + "\"]".utf8)
            #expect(ours([String].self, data) == nil)
        }
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{1:2}", "[1]]", "tru", "nul", "[1] x",
    ])
    func whatIsNoJSONIsRefused(text: String) {
        #expect(throws: JSONFault.self) {
            try Array(text.utf8).withUnsafeBufferPointer { try JSONValueDecoder().decode([Int].self, from: $0) }
        }
    }

    @Test func nestingHasAnEnd() {
        let deep = { (levels: Int) in
            Data((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
        }
        #expect(ours(Nothing.self, deep(500)) != nil)
        #expect(ours(Nothing.self, deep(513)) == nil)
        #expect(ours(Nothing.self, deep(1_000_000)) == nil)
    }

    /// Takes any value.
    private struct Nothing: Decodable {
        init(from decoder: any Decoder) {}
    }

    @Test(arguments: [
        (#"{"deep":{"x":{"k":1}}}"#, "deep.x.k"), (#"{"deep":{"x":[]}}"#, "deep.x"), (#"{"deep":null}"#, "deep"),
        (#"{"other":1}"#, ""), (#"{"deep":{"one":{"a":"b"},"tw\u006f":{"c":true}}}"#, "deep.two.c"),
    ])
    func anErrorNamesItsPlace(text: String, place: String) throws {
        let error = try #require(throws: DecodingError.self) {
            try Array(text.utf8).withUnsafeBufferPointer {
                try JSONValueDecoder().decode(Everything.Inner.self, from: $0)
            }
        }
        let context: DecodingError.Context? =
            switch error {
            case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
                .dataCorrupted(let context):
                context
            @unknown default: nil
            }
        #expect(context?.codingPath.map(\.stringValue).joined(separator: ".") == place)
    }

    /// Documents with a few bytes changed, left out or doubled: both make the same of them, or neither makes anything.
    @Test(arguments: 0..<8)
    func damagedDocumentsAreReadAsByFoundation(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let sound = try encoder.encode(Everything.sample)
        // Without e and point: Foundation takes 0e1 for no number, and cuts 18446744073709551.615 to a whole one.
        let alphabet = Array("{}[]\",:0123456789+-tfn\\u/ aé\n".utf8) + [0xFF, 0x00]
        var accepted = 0
        for _ in 0..<1500 {
            var data = sound
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                let place = Int.random(in: data.startIndex..<data.endIndex, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: data[place] = alphabet.randomElement(using: &generator) ?? 0
                case 1: data.remove(at: place)
                default: data.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
                }
            }
            let (mine, other) = (ours(Everything.self, data), theirs(Everything.self, data))
            #expect(mine == other, "\(String(decoding: data, as: UTF8.self))")
            if mine != nil { accepted += 1 }
        }
        #expect((10..<1490).contains(accepted), "both kinds are among them")
    }
}

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
    var number: Double
    var isTrue: Bool
    var text: String
    var word: Word
    var list: [Int]
    var nested: [[Double]]
    var table: [String: Double]
    var inner: Inner?

    struct Inner: Codable, Hashable {
        var deep: [String: [String: String]]
    }

    static let sample = Everything(
        whole: -42, large: .max, number: 0.1, isTrue: true,
        text: "é, 🦜, \"quoted\" \\ / \n\t\u{7F} and a string of more than fifteen bytes", word: .two, list: [1, 2, 3],
        nested: [[], [1.5e300, -0.0]], table: ["a": 1, "b key": 2.5, "": 3],
        inner: Inner(deep: ["x": [:], "y": ["k": "v"]]))
}

/// Takes any value.
private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
}

private func value<Value: Decodable>(_ type: Value.Type, _ data: Data, strictly: Bool) throws -> Value {
    try JSONDecoder().value(type, in: data, strictly: strictly)
}

struct JSONSyntaxTests {
    @Test(arguments: [
        "", " ", "{", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{1:2}", "[1]]", "tru", "nul", "[1] x",
        "01", "1.", ".5", "-", "+1", "1e", "0x1", #"["\x"]"#, #"["\u12G4"]"#, #"["\u12"]"#, "[\"\n\"]", "'a'", "\"",
        "\u{FEFF}1",
    ])
    func isRefusedIfItIsInvalidEvenInAPartThatIsNotDecoded(text: String) {
        #expect(throws: FetchBenchError.self) { try value(Anything.self, Data(text.utf8), strictly: true) }
    }

    @Test(arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]])
    func isRefusedIfItsTextIsNotValidUTF8(bytes: [UInt8]) {
        let data = Data("[\"".utf8 + bytes + "\"]".utf8)
        #expect(throws: FetchBenchError("a string is not valid UTF-8 at byte 2")) {
            try value(Anything.self, data, strictly: true)
        }
    }

    @Test(arguments: [true, false]) func hasThePlaceOfTheMistakeInTheErrorStrictlyReadOrNot(strictly: Bool) {
        let faults: [(String, FetchBenchError)] = [
            (#"{"deep":"#, FetchBenchError("it ends early")),
            (#"{"deep":{} "x"}"#, FetchBenchError("a comma was expected at byte 11")),
            (#"{"deep":{}}}"#, FetchBenchError("something follows the value at byte 11")),
            (#"{deep:{}}"#, FetchBenchError("a key was expected at byte 1")),
        ]
        for (text, fault) in faults {
            #expect(throws: fault) { try value(Everything.Inner.self, Data(text.utf8), strictly: strictly) }
        }
    }

    @Test func isRefusedWithNullOrAKeyGivenTwiceHoweverItIsWritten() {
        for (text, place) in [
            (#"{"a":[1,null]}"#, "a.1"), (#"null"#, ""), (#"{"b":{"a":1,"a":1}}"#, "b.a"),
            (#"[{"a":1,"\u0061":2}]"#, "0.\\u0061"), (#"{"":1,"":2}"#, ""),
        ] {
            let data = Data(text.utf8)
            let error = #expect(throws: DecodingError.self) { try value(Anything.self, data, strictly: true) }
            #expect(error?.place == place)
            #expect(throws: Never.self) { try value(Anything.self, data, strictly: false) }
        }
        #expect(throws: Never.self) {
            try value(Anything.self, Data(#"{"a":{"a":[{"a":1},{"a":1}]},"b":"null"}"#.utf8), strictly: true)
        }
    }

    @Test func isRefusedNamingTheFieldIfANumberIsTooLargeForADouble() throws {
        for number in ["1e309", "-2E400", String(repeating: "9", count: 400)] {
            let data = Data("{\"a\":[1,\(number)]}".utf8)
            let error = #expect(throws: DecodingError.self) { try value(Anything.self, data, strictly: true) }
            #expect(error?.place == "a.1")
        }
        let largest = Data("[1.7976931348623157e308,-1E300,1e-400,\(String(repeating: "9", count: 305))]".utf8)
        #expect(throws: Never.self) { try value(Anything.self, largest, strictly: true) }
    }

    @Test func mayBeNestedUpToALimit() {
        let deep = { (levels: Int) in
            Data((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
        }
        #expect(throws: Never.self) { try value(Anything.self, deep(500), strictly: true) }
        for levels in [513, 1_000_000] {
            #expect(throws: FetchBenchError.self) { try value(Anything.self, deep(levels), strictly: true) }
        }
    }

    @Test(arguments: [
        (#"{"deep":{"x":{"k":1}}}"#, "deep.x.k"), (#"{"deep":{"x":[]}}"#, "deep.x"), (#"{"deep":1}"#, "deep"),
        (#"{"other":1}"#, ""), (#"{"deep":{"one":{"a":"b"},"tw\u006f":{"c":true}}}"#, "deep.two.c"),
    ])
    func hasThePathOfAValueOfTheWrongTypeInTheError(text: String, place: String) {
        let error = #expect(throws: DecodingError.self) {
            try value(Everything.Inner.self, Data(text.utf8), strictly: true)
        }
        #expect(error?.place == place)
    }

    /// Documents with a few bytes changed, left out or doubled.
    ///
    /// Foundation's decoder passes over mistakes in what is not asked for, its `JSONSerialization` over a comma behind the
    /// last item.
    @Test(arguments: 0..<8) func isRefusedIfFoundationRefusesIt(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let sound = try encoder.encode(Everything.sample)
        let alphabet = Array("{}[]\",:0123456789+-.eEtfn\\u/ aé\n".utf8) + [0xFF, 0x00]
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
            guard (try? value(Everything.self, data, strictly: true)) != nil else { continue }
            accepted += 1
            let document = String(decoding: data, as: UTF8.self)
            #expect((try? JSONSerialization.jsonObject(with: data)) != nil, "\(document)")
            #expect(!document.replacing(/"(\\.|[^"\\])*"/, with: "\"\"").contains(/,\s*[\]}]/), "\(document)")
        }
        #expect((10..<1490).contains(accepted), "both kinds are among them")
    }
}

extension DecodingError {
    /// The path of the value that the error is about.
    fileprivate var place: String? {
        switch self {
        case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
            .dataCorrupted(let context):
            context.codingPath.map(\.stringValue).joined(separator: ".")
        @unknown default: nil
        }
    }
}

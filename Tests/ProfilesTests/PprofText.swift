// SPDX-License-Identifier: Apache-2.0

import Testing

/// A message as `protoc --decode` writes it: fields with values, and messages within.
///
/// Of the profile it reads what the tests ask for, by the rules of the format and not by those of the writer.
struct PprofText {
    /// A message: its numbers and texts by field, and its messages.
    struct Message {
        var values: [String: [String]] = [:]
        var messages: [String: [Message]] = [:]

        func numbers(_ field: String) -> [Int] { (values[field] ?? []).compactMap { Int($0) } }
        func number(_ field: String) -> Int { numbers(field).first ?? 0 }
    }

    let profile: Message

    /// Reads the text of a message.
    init(_ text: String) throws {
        var lines = text.split(separator: "\n")[...]
        profile = try Self.message(&lines)
        try #require(lines.isEmpty)
    }

    private static func message(_ lines: inout ArraySlice<Substring>) throws -> Message {
        var message = Message()
        while let line = lines.popFirst()?.drop(while: { $0 == " " }), line != "}" {
            if line.hasSuffix(" {") {
                message.messages[String(line.dropLast(2)), default: []].append(try self.message(&lines))
            } else {
                let colon = try #require(line.firstRange(of: ": "))
                message.values[String(line[..<colon.lowerBound]), default: []]
                    .append(String(line[colon.upperBound...]))
            }
        }
        return message
    }

    /// A text of the table, in quotation marks and escaped as protoc does.
    func string(_ place: Int) throws -> String {
        let table = profile.values["string_table"] ?? []
        try #require(table.indices.contains(place))
        return String(table[place].dropFirst().dropLast())
    }

    /// A sample with names, innermost first; functions of one place in the program are joined by a bar.
    struct Sample: Hashable {
        var stack: [String]
        var count: Int
        var bytes: Int
        var labels: [String: String]
    }

    /// The samples with everything that they name looked up: each number names exactly one thing.
    func samples() throws -> [Sample] {
        let locations = try byIdentifier("location")
        let functions = try byIdentifier("function")
        let mappings = try byIdentifier("mapping")
        return try (profile.messages["sample"] ?? []).map { sample in
            let stack = try sample.numbers("location_id").map { identifier in
                let location = try #require(locations[identifier])
                let mapping = location.number("mapping_id")
                try #require(mapping == 0 || mappings[mapping] != nil)
                return try (location.messages["line"] ?? []).map { line in
                    let function = try #require(functions[line.number("function_id")])
                    let file = try string(function.number("filename"))
                    let place = file.isEmpty ? "" : " \(file):\(line.number("line"))"
                    return try string(function.number("name")) + place
                }.joined(separator: "|")
            }
            var labels: [String: String] = [:]
            for label in sample.messages["label"] ?? [] {
                labels[try string(label.number("key"))] = try string(label.number("str"))
            }
            let values = sample.numbers("value")
            try #require(values.count == 2)
            return Sample(stack: stack, count: values[0], bytes: values[1], labels: labels)
        }
    }

    private func byIdentifier(_ field: String) throws -> [Int: Message] {
        let pairs = (profile.messages[field] ?? []).map { ($0.number("id"), $0) }
        try #require(Set(pairs.map(\.0)).count == pairs.count && !pairs.map(\.0).contains(0))
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Profiles
import TestSupport
import Testing

struct FoldedTests {
    @Test func sumToTheKernelsFigureTheOutermostFunctionFirst() throws {
        let profile = SampleProfile.complete
        let stacks = try Folded.stacks(in: drawn(profile))
        let given = stacks.filter { $0.frames.first == "[given back since the mark]" }
        let held = stacks.filter { $0.frames.first != "[given back since the mark]" }
        #expect(held.reduce(0) { $0 + $1.value } - given.reduce(0) { $0 + $1.value } == profile.explainedPeak)
        #expect(
            stacks.first?.frames == [
                "main", "Fixture.Decoder.decode(Foundation.Data) throws -> [Swift.UInt8]",
                "Fixture.(grow in _0A1B)(by: Swift.Int) -> ()", "swift_allocObject",
            ])
        #expect(stacks.contains { $0.frames == ["[mapped files]", "[libc.so.6]"] && $0.value == 300_000 })
    }

    @Test(arguments: SampleProfile.hostileNames)
    func keepTheirFramesAndFiguresWhateverTheNames(name: String) throws {
        let profile = SampleProfile.hostile(name)
        let stacks = try Folded.stacks(in: drawn(profile))
        let sizes = stacks.map { "\($0.frames.count) \($0.value)" }.sorted()
        let mebibyte = 1 << 20
        #expect(
            sizes
                == ["1 5", "1 \(3 * mebibyte)", "2 \(mebibyte)", "2 \(mebibyte)", "2 \(5 * mebibyte)"].sorted())
    }

    @Test func nameEachStackOnce() throws {
        let twice = SampleProfile.profile([
            .init(frames: [SampleProfile.main], bytes: 5),
            .init(frames: [SampleProfile.frame("main", "main.swift", 9)], bytes: 7),
        ])
        #expect(try drawn(twice) == "main 12\n")
        #expect(try drawn(SampleProfile.empty) == "")
    }

    @Test(arguments: ["a b\n", "a -5\n", "a 1 2\n"])
    func areRefusedByTheReaderOfTheseTestsWhereANameEndsALine(text: String) {
        #expect(throws: (any Error).self) { try Folded.stacks(in: text) }
    }

    private func drawn(_ profile: HolderProfile) throws -> String {
        String(decoding: try #require(ProfileFormats.named("folded")).bytes(of: profile), as: UTF8.self)
    }
}

/// Folded stacks as flamegraph.pl reads them: of each line what precedes its last figure, cut at semicolons.
///
/// It ignores a line without a figure, and takes a second figure for the other side of a comparison; both are mistakes here.
private enum Folded {
    struct Stack {
        let frames: [String]
        let value: Int
    }

    struct Unreadable: Error { let line: String }

    static func stacks(in text: String) throws -> [Stack] {
        // By bytes, as Perl does.
        try text.utf8.split(separator: 0x0A, omittingEmptySubsequences: true).map { bytes in
            let line = String(decoding: bytes, as: UTF8.self)
            guard let (stack, value) = figure(of: Array(bytes)), figure(of: stack) == nil, !stack.isEmpty else {
                throw Unreadable(line: line)
            }
            let frames = stack.split(separator: 0x3B, omittingEmptySubsequences: false)
            guard !frames.contains(where: \.isEmpty), stack.first != 0x23 else { throw Unreadable(line: line) }
            return Stack(frames: frames.map { String(decoding: $0, as: UTF8.self) }, value: value)
        }
    }

    /// Returns the match of `(.*)\s+?(\d+(?:\.\d*)?)$`.
    private static func figure(of line: [UInt8]) -> (stack: [UInt8], value: Int)? {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        var rest = line[...]
        // A fraction counts as a part of the figure.
        let fraction = rest.reversed().prefix(while: isDigit)
        if rest.dropLast(fraction.count).last == 0x2E { rest = rest.dropLast(fraction.count + 1) }
        let digits = rest.reversed().prefix(while: isDigit)
        let before = rest.dropLast(digits.count)
        guard !digits.isEmpty, let space = before.last, [0x20, 0x09, 0x0B, 0x0C, 0x0D].contains(space),
            let value = Int(String(decoding: digits.reversed(), as: UTF8.self))
        else { return nil }
        return (Array(before.dropLast()), value)
    }
}

@Suite(.ownThreads)
struct SpeedscopeTests {
    @Test(arguments: [SampleProfile.complete, .empty])
    func areAsTheViewerPublishesItsTypes(profile: HolderProfile) throws {
        #expect(try Tool.complaints(of: "speedscope.py", about: [try drawn(profile)]) == [])
    }

    @Test func holdAnyName() throws {
        let drawn = try SampleProfile.hostileNames.map { try self.drawn(SampleProfile.hostile($0)) }
        #expect(try Tool.complaints(of: "speedscope.py", about: drawn) == [])
    }

    @Test func withAWrongPlaceOrWeightAreFoundOut() throws {
        let text = try drawn(SampleProfile.complete)
        for (from, to) in [(#""samples":[["#, #""samples":[[99,"#), (#""weights":["#, #""weights":[-"#)] {
            #expect(text.contains(from))
            #expect(try !Tool.complaints(of: "speedscope.py", about: [text.replacing(from, with: to)]).isEmpty)
        }
    }

    @Test func sayApartWhatIsToSubtractAndTheTwoMakeTheKernelsFigure() throws {
        struct Document: Decodable {
            struct Profile: Decodable {
                let name: String
                let samples: [[Int]]
                let weights: [Int]
            }
            struct Frame: Decodable { let name: String }
            let shared: [String: [Frame]]
            let profiles: [Profile]
        }
        let profile = SampleProfile.complete
        let document = try JSONDecoder().decode(Document.self, from: Data(try drawn(profile).utf8))
        let sums = document.profiles.map { $0.weights.reduce(0, +) }
        try #require(sums.count == 2)
        #expect(sums[0] - sums[1] == profile.explainedPeak)
        let frames = try #require(document.shared["frames"])
        #expect(
            document.profiles[0].samples[2].map { frames[$0].name } == [
                "main", "__CFDataGrow", "realloc", "[freed, kept by the allocator]",
            ])
    }

    private func drawn(_ profile: HolderProfile) throws -> String {
        let format = try #require(ProfileFormats.named("speedscope"))
        return String(decoding: try format.bytes(of: profile), as: UTF8.self)
    }
}

struct ProfileDocumentTests {
    @Test func isReadAsItWasWritten() throws {
        #expect(try read(SampleProfile.complete.json) == SampleProfile.complete)
    }

    @Test(arguments: SampleProfile.hostileNames)
    func holdsAnyName(name: String) throws {
        let profile = SampleProfile.hostile(name)
        let read = try self.read(profile.json)
        #expect(read == profile)
        #expect(read.subject.unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    private func read(_ text: String) throws -> HolderProfile {
        try JSONDecoder().decode(HolderProfile.self, from: Data(text.utf8))
    }

    @Test(arguments: [Int.min, Int.max, 1 << 53])
    func withOneNumberBeyondWhatCanBeAddedUpIsNotWellFormed(value: Int) {
        #expect(SampleProfile.complete.isWellFormed)
        let numbers: [WritableKeyPath<HolderProfile, Int>] = [
            \.explainedPeak, \.holders[0].bytes, \.holders[1].blockCount, \.residues[0].bytes,
            \.recorder.allocationCount, \.recorder.nanoseconds, \.recorder.ownBytes,
        ]
        for number in numbers {
            var profile = SampleProfile.complete
            profile[keyPath: number] = value
            #expect(!profile.isWellFormed)
        }
    }

    @Test func isRefusedWithAnotherVersionOrAnUnknownFrame() {
        var profile = SampleProfile.complete
        profile.version = 2
        #expect(!profile.isWellFormed)
        profile = SampleProfile.complete
        profile.holders[0].stack[0] = profile.frames.count
        #expect(!profile.isWellFormed)
        profile = SampleProfile.complete
        profile.plainPeak = .min
        #expect(!profile.isWellFormed)
        profile = SampleProfile.complete
        profile.frames[0].line = .max
        #expect(!profile.isWellFormed)
        profile = SampleProfile.complete
        profile.residues = (0..<64).map { _ in Residue(.files, bytes: 1 << 47) }
        #expect(!profile.isWellFormed)
    }

    @Test func everyFormatHasANameAndAFileOfItsOwn() throws {
        let all = ProfileFormats.all
        #expect(all.map(\.name) == ["table", "markdown", "pprof", "speedscope", "folded", "json"])
        #expect(Set(all.map(\.fileExtension)).count == all.count)
        for format in all {
            #expect(!(try format.bytes(of: SampleProfile.complete)).isEmpty)
            #expect(ProfileFormats.named(format.name)?.summary == format.summary)
        }
        #expect(ProfileFormats.named("html") == nil)
    }
}

@Suite(.ownThreads)
struct PprofTests {
    @Test func isGzipOfAMessageThatProtocReadsByThePublishedSchema() throws {
        let text = try decoded(SampleProfile.complete)
        // A field that the schema has not is written as its bare number.
        #expect(!text.split(separator: "\n").contains { $0.drop { $0 == " " }.first?.isNumber == true })
        let read = try PprofText(text)
        let types = try read.profile.messages["sample_type", default: []].map {
            [try read.string($0.number("type")), try read.string($0.number("unit"))]
        }
        #expect(types == [["inuse_objects", "count"], ["inuse_space", "bytes"]])
        #expect(try read.string(0) == "")
        #expect(try read.string(read.profile.number("default_sample_type")) == "inuse_space")
        let period = try #require(read.profile.messages["period_type"]?.first)
        #expect(try read.string(period.number("type")) == "space")
        let comments = try read.profile.numbers("comment").map { try read.string($0) }
        #expect(comments.contains("allocations seen: 4116"))
        #expect(comments.contains("kernel\\'s figure: \(SampleProfile.complete.explainedPeak) bytes"))
    }

    @Test(arguments: [SampleProfile.complete, .empty])
    func hasASampleARowWhichSumToTheKernelsFigure(profile: HolderProfile) throws {
        let samples = try PprofText(try decoded(profile)).samples()
        #expect(samples.reduce(0) { $0 + $1.bytes } == profile.explainedPeak)
        #expect(samples.reduce(0) { $0 + $1.count } == profile.holders.reduce(0) { $0 + $1.blockCount })
    }

    @Test func namesFunctionsFilesAndLines() throws {
        let samples = try PprofText(try decoded(SampleProfile.complete)).samples()
        let decode = "Fixture.Decoder.decode(Foundation.Data) throws -> [Swift.UInt8] Decoder.swift:41"
        let helper = "Fixture.(grow in _0A1B)(by: Swift.Int) -> () Decoder.swift:60"
        #expect(
            samples.first
                == .init(
                    stack: ["swift_allocObject", "\(helper)|\(decode)", "main main.swift:1"], count: 1,
                    bytes: 16 << 20, labels: ["state": "live"]))
        #expect(samples[1].labels == ["state": "reallocated"])
        #expect(samples[2].labels == ["state": "freed"])
        #expect(samples[3].labels == ["state": "live", "sampled": "yes"])
        #expect(samples[5].bytes == -(1 << 20))
        let file = try #require(samples.first { $0.stack.first == "[libc.so.6]" })
        #expect(file.stack == ["[libc.so.6]", "[mapped files]"])
        #expect(file.labels == ["residue": "files"])
        #expect(samples.last?.stack == ["[unattributed]"])
        #expect(samples.last?.bytes == -12_345)
    }

    @Test func hasTheProgramAsTheFirstMappingAndNamesThatPprofDoesNotCut() throws {
        let read = try PprofText(try decoded(SampleProfile.complete))
        let mappings = try (read.profile.messages["mapping"] ?? []).map { try read.string($0.number("filename")) }
        #expect(mappings == ["program", "libsystem.so"])
        #expect((read.profile.messages["function"] ?? []).allSatisfy { $0.number("system_name") == 0 })
    }

    @Test(arguments: SampleProfile.hostileNames)
    func holdsAnyName(name: String) throws {
        let profile = SampleProfile.hostile(name)
        let samples = try PprofText(try decoded(profile)).samples()
        #expect(samples.reduce(0) { $0 + $1.bytes } == profile.explainedPeak)
    }

    @Test func thatWasCutOffIsRefusedByItsReaders() throws {
        let packed = try bytes(SampleProfile.complete)
        #expect(try Tool.gunzip(packed.dropLast(9)).status != 0)
        let message = try Tool.gunzip(packed).output
        #expect(try Tool.protoc(message).status == 0)
        #expect(try Tool.protoc(message.dropLast(3)).status != 0)
    }

    @Test func isTheSameForTheSameProfile() throws {
        #expect(try bytes(SampleProfile.complete) == bytes(SampleProfile.complete))
    }

    private func bytes(_ profile: HolderProfile) throws -> [UInt8] {
        try #require(ProfileFormats.named("pprof")).bytes(of: profile)
    }

    private func decoded(_ profile: HolderProfile) throws -> String {
        let unpacked = try Tool.gunzip(try bytes(profile))
        try #require(unpacked.status == 0, "\(unpacked.complaint)")
        let answer = try Tool.protoc(unpacked.output)
        try #require(answer.status == 0, "\(answer.complaint)")
        return answer.text
    }
}

extension HolderProfile {
    /// For arguments of tests.
    static var empty: HolderProfile { SampleProfile.empty }
}

/// A message as `protoc --decode` writes it: fields with values, and messages within.
///
/// Of the profile it reads what the tests ask for, by the rules of the format and not by those of the writer.
struct PprofText {
    struct Message {
        var values: [String: [String]] = [:]
        var messages: [String: [Message]] = [:]

        func numbers(_ field: String) -> [Int] { (values[field] ?? []).compactMap { Int($0) } }
        func number(_ field: String) -> Int { numbers(field).first ?? 0 }
    }

    let profile: Message

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

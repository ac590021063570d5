// SPDX-License-Identifier: Apache-2.0

import Profiles
import Testing

@Suite("Folded stacks")
struct FoldedTests {
    @Test("sum to the kernel's figure, the outermost function first")
    func sums() throws {
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

    @Test("keep their frames and figures whatever the names", arguments: SampleProfile.hostileNames)
    func hostile(name: String) throws {
        let profile = SampleProfile.hostile(name)
        let stacks = try Folded.stacks(in: drawn(profile))
        let sizes = stacks.map { "\($0.frames.count) \($0.value)" }.sorted()
        let mebibyte = 1 << 20
        #expect(
            sizes
                == [
                    "1 5", "1 \(3 * mebibyte)", "2 \(mebibyte)", "2 \(mebibyte)", "2 \(5 * mebibyte)",
                ].sorted())
    }

    @Test("name each stack once")
    func once() throws {
        let twice = SampleProfile.profile([
            .init(frames: [SampleProfile.main], bytes: 5),
            .init(frames: [SampleProfile.frame("main", "main.swift", 9)], bytes: 7),
        ])
        #expect(try drawn(twice) == "main 12\n")
        #expect(try drawn(SampleProfile.empty) == "")
    }

    @Test(
        "are refused by the reader of these tests where a name ends a line", arguments: ["a b\n", "a -5\n", "a 1 2\n"])
    func control(text: String) {
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

    /// What `(.*)\s+?(\d+(?:\.\d*)?)$` matches.
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

// SPDX-License-Identifier: Apache-2.0

import Holders
import Testing

@Suite("The document of a profile")
struct ProfileDocumentTests {
    static let text = ProfileDocument.text(of: SampleProfile.complete)

    @Test("is read as it was written")
    func roundTrip() throws {
        #expect(try ProfileDocument.profile(parsing: Array(Self.text.utf8)) == SampleProfile.complete)
    }

    @Test("holds any name", arguments: SampleProfile.hostileNames)
    func hostile(name: String) throws {
        let profile = SampleProfile.hostile(name)
        let read = try ProfileDocument.profile(parsing: Array(ProfileDocument.text(of: profile).utf8))
        #expect(read == profile)
        #expect(read.subject.unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test("that was cut off is refused", arguments: [0, 1, 100, text.utf8.count - 3])
    func truncated(count: Int) {
        #expect(throws: HolderProfileError.self) {
            try ProfileDocument.profile(parsing: Array(Self.text.utf8.prefix(count)))
        }
    }

    @Test("of another version is refused, and says which")
    func version() {
        let other = Self.text.replacing("\"version\" : 1", with: "\"version\" : 2")
        #expect(throws: HolderProfileError.unknownVersion(2)) {
            try ProfileDocument.profile(parsing: Array(other.utf8))
        }
    }

    @Test("whose stacks name frames that are none, or whose sizes no machine has, is refused")
    func references() {
        var profile = SampleProfile.complete
        profile.holders[0].stack[0] = profile.frames.count
        #expect(throws: HolderProfileError.malformed(reason: "stack 1 names a frame that is none of its 6")) {
            try ProfileDocument.profile(parsing: Array(ProfileDocument.text(of: profile).utf8))
        }
        profile = SampleProfile.complete
        for index in profile.holders.indices { profile.holders[index].bytes = .max / 2 }
        var text = ProfileDocument.text(of: profile)
        #expect(throws: HolderProfileError.self) { try ProfileDocument.profile(parsing: Array(text.utf8)) }
        text = ProfileDocument.text(of: SampleProfile.complete).replacing(
            "\"allocator\" : \"glibc\"", with: "\"allocator\" : 3")
        #expect(throws: HolderProfileError.malformed(reason: "allocator is missing or of another kind")) {
            try ProfileDocument.profile(parsing: Array(text.utf8))
        }
    }

    @Test("with one number beyond what can be added up is refused", arguments: [Int.min, Int.max, 1 << 53])
    func overflow(value: Int) {
        #expect(SampleProfile.complete.isWellFormed)
        let numbers: [WritableKeyPath<HolderProfile, Int>] = [
            \.explainedPeak, \.holders[0].bytes, \.holders[1].blockCount, \.residues[0].bytes,
            \.recorder.allocationCount, \.recorder.nanoseconds, \.recorder.ownBytes,
        ]
        for number in numbers {
            var profile = SampleProfile.complete
            profile[keyPath: number] = value
            #expect(!profile.isWellFormed)
            #expect(throws: HolderProfileError.malformed(reason: "its sizes are larger than any machine")) {
                try ProfileDocument.profile(parsing: Array(ProfileDocument.text(of: profile).utf8))
            }
        }
    }

    @Test("is not well formed with another version, a huge plain peak or line, or too much in many rows")
    func malformed() {
        var profile = SampleProfile.complete
        profile.version = 2
        #expect(!profile.isWellFormed)
        profile = SampleProfile.complete
        profile.plainPeak = .min
        #expect(!profile.isWellFormed)
        profile = SampleProfile.complete
        profile.frames[0].line = .max
        #expect(profile.flaw == "a frame has a line that no file has")
        profile = SampleProfile.complete
        profile.residues = (0..<64).map { _ in Residue(.files, bytes: 1 << 47) }
        #expect(profile.flaw == "its sizes are larger than any machine")
    }

    @Test("and every other format has a name and a file of its own, and draws every profile")
    func formats() throws {
        let all = ProfileFormats.all
        #expect(all.map(\.name) == ["table", "markdown", "pprof", "firefox", "speedscope", "folded", "json"])
        #expect(Set(all.map(\.fileExtension)).count == all.count)
        for format in all {
            #expect(!(try format.bytes(of: SampleProfile.complete)).isEmpty)
            #expect(ProfileFormats.named(format.name)?.summary == format.summary)
        }
        #expect(ProfileFormats.named("html") == nil)
    }
}

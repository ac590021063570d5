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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Profiles
import Testing

@Suite("The document of a profile")
struct ProfileDocumentTests {
    @Test("is read as it was written")
    func roundTrip() throws {
        #expect(try read(SampleProfile.complete.json) == SampleProfile.complete)
    }

    @Test("holds any name", arguments: SampleProfile.hostileNames)
    func hostile(name: String) throws {
        let profile = SampleProfile.hostile(name)
        let read = try self.read(profile.json)
        #expect(read == profile)
        #expect(read.subject.unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    private func read(_ text: String) throws -> HolderProfile {
        try JSONDecoder().decode(HolderProfile.self, from: Data(text.utf8))
    }

    @Test("with one number beyond what can be added up is not well formed", arguments: [Int.min, Int.max, 1 << 53])
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
        }
    }

    @Test("is not well formed with another version, an unknown frame, a huge peak or line, or too much in many rows")
    func malformed() {
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

    @Test("and every other format has a name and a file of its own, and draws every profile")
    func formats() throws {
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Profiles
import TestSupport
import Testing

@Suite("Profiles for speedscope", .ownThreads)
struct SpeedscopeTests {
    @Test("are as the viewer publishes its types", arguments: [SampleProfile.complete, .empty])
    func valid(profile: HolderProfile) throws {
        #expect(try Tool.complaints(of: "speedscope.py", about: [try drawn(profile)]) == [])
    }

    @Test("hold any name")
    func hostile() throws {
        let drawn = try SampleProfile.hostileNames.map { try self.drawn(SampleProfile.hostile($0)) }
        #expect(try Tool.complaints(of: "speedscope.py", about: drawn) == [])
    }

    @Test("with a wrong place or weight are found out")
    func speedscopeMistakes() throws {
        let text = try drawn(SampleProfile.complete)
        for (from, to) in [(#""samples":[["#, #""samples":[[99,"#), (#""weights":["#, #""weights":[-"#)] {
            #expect(text.contains(from))
            #expect(try !Tool.complaints(of: "speedscope.py", about: [text.replacing(from, with: to)]).isEmpty)
        }
    }

    @Test("say apart what is to subtract, and the two make the kernel's figure")
    func speedscopeSums() throws {
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

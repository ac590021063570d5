// SPDX-License-Identifier: Apache-2.0

import Foundation
import Profiles
import TestSupport
import Testing

@Suite("Profiles for viewers that read JSON", .ownThreads)
struct ViewerTests {
    static let programs = ["firefox", "speedscope"]

    @Test("are as the viewers publish their types", arguments: programs, [SampleProfile.complete, .empty])
    func valid(name: String, profile: HolderProfile) throws {
        let texts = [try drawn(name, profile), try drawn(name, profile, SampleProfile.timeline)]
        #expect(try Tool.complaints(of: name + ".py", about: texts) == [])
    }

    @Test("hold any name", arguments: programs)
    func hostile(name: String) throws {
        let drawn = try SampleProfile.hostileNames.map { try self.drawn(name, SampleProfile.hostile($0)) }
        #expect(try Tool.complaints(of: name + ".py", about: drawn) == [])
    }

    /// A change that makes a document wrong, and a word of what is said of it.
    static let firefoxMistakes: [(from: String, to: String, complaint: String)] = [
        (#""preprocessedProfileVersion":70"#, #""preprocessedProfileVersion":71"#, "70"),
        (#""stackTable":{"frame":[0,"#, #""stackTable":{"frame":[99,"#, "stackTable.frame names"),
        (#""prefixOffset":[0,"#, #""prefixOffset":[1,"#, "before the first row"),
        (#""weightType":"bytes""#, #""weightType":"byte""#, "weightType"),
        (#""isMainThread":true,"#, "", "isMainThread"), (#""tid":1"#, #""tid":1,"odd":1"#, "odd"),
        (#""mainThreadIndex":0"#, #""mainThreadIndex":1"#, "mainThreadIndex names"),
        (#""color":"grey""#, #""color":"gray""#, "categories"),
    ]

    @Test("with a mistake are found out", arguments: firefoxMistakes.indices)
    func mistakes(index: Int) throws {
        let mistake = Self.firefoxMistakes[index]
        let text = try drawn("firefox", SampleProfile.complete, SampleProfile.timeline)
        #expect(text.contains(mistake.from))
        let complaints = try Tool.complaints(of: "firefox.py", about: [text.replacing(mistake.from, with: mistake.to)])
        #expect(complaints.contains { $0.contains(mistake.complaint) }, "\(complaints)")
    }

    @Test("for speedscope with a wrong place or weight are found out")
    func speedscopeMistakes() throws {
        let text = try drawn("speedscope", SampleProfile.complete)
        for (from, to) in [(#""samples":[["#, #""samples":[[99,"#), (#""weights":["#, #""weights":[-"#)] {
            #expect(text.contains(from))
            #expect(try !Tool.complaints(of: "speedscope.py", about: [text.replacing(from, with: to)]).isEmpty)
        }
    }

    @Test("for speedscope say apart what is to subtract, and the two make the kernel's figure")
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
        let document = try JSONDecoder().decode(Document.self, from: Data(try drawn("speedscope", profile).utf8))
        let sums = document.profiles.map { $0.weights.reduce(0, +) }
        try #require(sums.count == 2)
        #expect(sums[0] - sums[1] == profile.explainedPeak)
        let frames = try #require(document.shared["frames"])
        #expect(
            document.profiles[0].samples[2].map { frames[$0].name } == [
                "main", "__CFDataGrow", "realloc", "[freed, kept by the allocator]",
            ])
    }

    @Test("for Firefox have the curve, the phases and a tree that sums to the kernel's figure")
    func firefoxContent() throws {
        let profile = SampleProfile.complete
        let text = try drawn("firefox", profile, SampleProfile.timeline)
        let document = try JSONDecoder().decode(FirefoxDocument.self, from: Data(text.utf8))
        let thread = try #require(document.threads.first)
        #expect(thread.samples.weight.reduce(0, +) == profile.explainedPeak)
        #expect(Set(thread.samples.time) == [12.345678])
        let resident = try #require(document.counters.first { $0.name == "resident" }).samples.count
        // The viewer takes the first difference for 0, whatever it is, and adds the others up.
        var sum = 0
        let curve = resident.dropFirst().map { difference -> Int in
            sum += difference
            return sum
        }
        #expect(curve == SampleProfile.timeline.samples.map(\.residentBytes))
        #expect(document.meta.profilingStartTime == 0)
        // The viewer leaves out what is at the very end.
        #expect(document.meta.profilingEndTime == 20.5)
        #expect(thread.markers.name.map { document.shared.stringArray[$0] } == ["warmup", "fetch", "peak"])
        #expect(thread.markers.startTime == [0, 5, 12.345678])
        #expect(thread.markers.endTime == [5, 19.5, nil])
        #expect(
            document.names(ofStack: try #require(thread.samples.stack.first)) == [
                "main", "Fixture.Decoder.decode(Foundation.Data) throws -> [Swift.UInt8]",
                "Fixture.(grow in _0A1B)(by: Swift.Int) -> ()", "swift_allocObject",
            ])
    }

    private func drawn(_ name: String, _ profile: HolderProfile, _ timeline: ProfileTimeline? = nil) throws -> String {
        let format = try #require(ProfileFormats.named(name))
        return String(decoding: try format.bytes(of: profile, timeline: timeline), as: UTF8.self)
    }
}

/// What the tests look at in a document for Firefox.
private struct FirefoxDocument: Decodable {
    struct Counter: Decodable {
        struct Samples: Decodable { let count: [Int] }
        let name: String
        let samples: Samples
    }
    struct Thread: Decodable {
        struct Samples: Decodable {
            let stack: [Int?]
            let time: [Double]
            let weight: [Int]
        }
        struct Markers: Decodable {
            let name: [Int]
            let startTime: [Double]
            let endTime: [Double?]
        }
        let samples: Samples
        let markers: Markers
    }
    struct Shared: Decodable {
        struct Stacks: Decodable { let frame, prefixOffset: [Int] }
        struct Frames: Decodable { let `func`: [Int] }
        struct Functions: Decodable { let name: [Int] }
        let stackTable: Stacks
        let frameTable: Frames
        let funcTable: Functions
        let stringArray: [String]
    }
    struct Meta: Decodable { let profilingStartTime, profilingEndTime: Double }

    let meta: Meta
    let counters: [Counter]
    let threads: [Thread]
    let shared: Shared

    /// The functions of a stack, the outermost first, walked as the viewer does.
    func names(ofStack stack: Int?) -> [String] {
        var (names, next) = ([String](), stack)
        while let node = next {
            names.append(
                shared.stringArray[shared.funcTable.name[shared.frameTable.func[shared.stackTable.frame[node]]]])
            let offset = shared.stackTable.prefixOffset[node]
            next = offset == 0 ? nil : node - offset
        }
        return names.reversed()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Profiles
import TestSupport
import Testing

@Suite("A profile for pprof", .ownThreads)
struct PprofTests {
    @Test("is gzip of a message that protoc reads by the published schema, without an unknown field")
    func isRead() throws {
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

    @Test("has a sample a row, which sum to the kernel's figure", arguments: [SampleProfile.complete, .empty])
    func isWhole(profile: HolderProfile) throws {
        let samples = try PprofText(try decoded(profile)).samples()
        #expect(samples.reduce(0) { $0 + $1.bytes } == profile.explainedPeak)
        #expect(samples.reduce(0) { $0 + $1.count } == profile.holders.reduce(0) { $0 + $1.blockCount })
    }

    @Test("names functions, files and lines; the compiler's inlined functions share a place, innermost first")
    func names() throws {
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

    @Test("has the program as the first mapping, and names that pprof does not cut")
    func conventions() throws {
        let read = try PprofText(try decoded(SampleProfile.complete))
        let mappings = try (read.profile.messages["mapping"] ?? []).map { try read.string($0.number("filename")) }
        #expect(mappings == ["program", "libsystem.so"])
        #expect((read.profile.messages["function"] ?? []).allSatisfy { $0.number("system_name") == 0 })
    }

    @Test("holds any name", arguments: SampleProfile.hostileNames)
    func hostile(name: String) throws {
        let profile = SampleProfile.hostile(name)
        let samples = try PprofText(try decoded(profile)).samples()
        #expect(samples.reduce(0) { $0 + $1.bytes } == profile.explainedPeak)
    }

    @Test("that was cut off is refused by its readers")
    func truncated() throws {
        let packed = try bytes(SampleProfile.complete)
        #expect(try Tool.gunzip(packed.dropLast(9)).status != 0)
        let message = try Tool.gunzip(packed).output
        #expect(try Tool.protoc(message).status == 0)
        #expect(try Tool.protoc(message.dropLast(3)).status != 0)
    }

    @Test("is the same for the same profile")
    func isStable() throws {
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

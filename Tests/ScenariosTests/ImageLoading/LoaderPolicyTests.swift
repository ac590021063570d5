// SPDX-License-Identifier: Apache-2.0

import ImageLoading
import Scenarios
import Testing
import TrialKit
import URLSessionModes

@Suite("The policies of loaders")
struct LoaderPolicyTests {
    /// A phone of 6 GiB with a screen of 1170 × 2532 pixels.
    private let machine = LoaderMachine(screenByteCount: 4 * 1170 * 2532)

    @Test("are those of the table, in its order")
    func table() {
        #expect(
            LoaderPolicy.all.map(\.name) == [
                "kingfisher", "nuke", "sdwebimage", "glide-like", "dictionary", "naive", "best",
            ])
        #expect(
            LoaderPolicy.all.map(\.buffer) == [.appended, .reserved, .reserved, .file, .reserved, .reserved, .file])
        #expect(LoaderPolicy.all.map(\.downloadsAtOnce) == [6, 6, 6, 4, nil, nil, 5])
        #expect(
            LoaderPolicy.all.map(\.decodes) == [
                .withDownload, .atMost(2), .withDownload, .atMost(4), .withDownload, .none, .atMost(2),
            ])
        #expect(
            LoaderPolicy.all.map(\.cancelling) == [
                .manual, .automatic, .automatic, .automatic, .none, .none, .automatic,
            ])
        #expect(LoaderPolicy.all.map(\.files) == [.copied, .copied, .copied, .mapped, nil, nil, .mapped])
        #expect(LoaderPolicy.all.map(\.coalesces) == [true, true, true, true, false, false, true])
        #expect(LoaderPolicy.all.map(\.downsampling) == [.none, .none, .none, .toView, .none, .none, .toView])
    }

    @Test("limit their memory caches as the libraries do on a phone")
    func memoryLimits() {
        let limits = LoaderPolicy.all.map { $0.memory?.limit.byteCount(on: machine) }
        #expect(limits[0] == (6 << 30) / 100 * 25)
        #expect(limits[1] == 768 << 20)
        #expect(limits[2] == .some(nil))
        #expect(limits[3] == 2 * 4 * 1170 * 2532)
        #expect(limits[4] == .some(nil), "the dictionary keeps everything")
        #expect(LoaderPolicy.naive.memory == nil)
        #expect(limits[6] == 2 * 1170 * 2532)
        var small = machine
        small.memoryByteCount = 1 << 30
        #expect(LoaderPolicy.nuke.memory?.limit.byteCount(on: small) == (1 << 30) / 100 * 15)
        #expect(LoaderPolicy.nuke.memory?.cost == .decodedAndEncoded)
        #expect(LoaderPolicy.kingfisher.memory?.lifetimeSeconds == 300)
    }

    @Test("limit what decodes hold together nowhere but in ours")
    func decodeMemory() {
        let limits = LoaderPolicy.all.map { $0.decodeMemory.byteCount(on: machine) }
        #expect(limits == [nil, nil, nil, nil, nil, nil, 4 * 1170 * 2532])
    }

    @Test("can be played by the mode that is closest to each", arguments: LoaderPolicy.all)
    func closestMode(policy: LoaderPolicy) throws {
        let mode = try #require(URLSessionCatalog.all.first { $0.name == policy.closestMode })
        #expect(mode.yieldsBody)
        let scenarios = ScenarioCatalog.all.filter { $0.loaders.contains { $0.name == policy.name } }
        #expect(scenarios.map(\.name).sorted() == ["cache", "coalesce", "gallery"])
        for scenario in scenarios {
            #expect(scenario.needs.abilities.isSubset(of: mode.abilities), "\(scenario.name) by \(mode.name)")
        }
    }

    @Test("are called models, and say where each figure was read")
    func sources() {
        for policy in LoaderPolicy.all {
            #expect(policy.title.hasSuffix("(model)"))
            #expect(!policy.figures.isEmpty)
            #expect(policy.figures.allSatisfy { !$0.source.isEmpty && !$0.text.isEmpty })
            #expect(LoaderPolicy.named(policy.name) == policy)
        }
        #expect(LoaderPolicy.kingfisher.title == "policy of Kingfisher (model)")
        #expect(LoaderPolicy.kingfisher.figures.first?.source == "Kingfisher 8.x, read 2026-07")
        #expect(LoaderPolicy.nuke.figures.first?.source == "Nuke 12/13, read 2026-08")
        #expect(LoaderPolicy.sdWebImage.figures.first?.source == "SDWebImage 5.x, read 2025-12")
        #expect(LoaderPolicy.named("Kingfisher") == nil)
    }
}

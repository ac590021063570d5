// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Runs
import Statistics
import Testing

struct PlanTests {
    @Test func everyRoundHoldsEveryCaseOnce() {
        let plan = Plan.synthetic(trials: 4)
        let count = plan.cases.count
        #expect(plan.slots.count == 4 * count)
        for round in 0..<4 {
            let cells = plan.slots[round * count..<(round + 1) * count].map(\.cell)
            #expect(Set(cells) == Set(plan.cases))
            #expect(Set(cells).count == cells.count)
        }
    }

    @Test func trialsAreNumberedFromOneInTheOrderInWhichTheyAreDone() {
        let slots = Plan.synthetic().slots
        #expect(slots.map(\.trial) == Array(1...slots.count))
        #expect(Set(slots.map(\.seed)).count == slots.count)
    }

    @Test func theSameSeedGivesTheSameOrder() {
        #expect(Plan.synthetic(seed: 5).slots == Plan.synthetic(seed: 5).slots)
    }

    @Test func anotherSeedGivesAnotherOrder() {
        #expect(Plan.synthetic(seed: 5).slots.map(\.cell) != Plan.synthetic(seed: 6).slots.map(\.cell))
    }

    @Test func roundsAreShuffledApart() {
        let plan = Plan.synthetic(trials: 2)
        let cells = plan.slots.map(\.cell)
        #expect(Array(cells.prefix(plan.cases.count)) != Array(cells.suffix(plan.cases.count)))
    }

    /// The first values of the reference implementation, `splitmix64.c` by Sebastiano Vigna, for seed 1234567.
    @Test func theGeneratorIsSplitMix64() {
        var generator = SeededGenerator(seed: 1_234_567)
        let values = (0..<3).map { _ in generator.next() }
        #expect(values == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }
}

struct PlanCaseTests {
    @Test func theNullCaseStandsFirstForEachAllocator() {
        let plan = Plan.synthetic(allocators: [.jemalloc, .glibc])
        #expect(Array(plan.cases.prefix(2)) == [.null(on: .jemalloc), .null(on: .glibc)])
        #expect(plan.cases.count { $0.asset == Case.nullAsset } == 2)
    }

    @Test func theNullCaseIsThereEvenIfNobodyAskedForIt() {
        let plan = Plan.synthetic(modes: [FakeMode(name: "data")], allocators: [.glibc])
        #expect(plan.cases.first == .null(on: .glibc))
        #expect(plan.asset(of: .null(on: .glibc)) == nil)
        #expect(plan.modes == ["data"])
    }

    @Test func nothingFetchedCannotBeRendered() {
        let plan = Plan.synthetic(allocators: [.glibc])
        let cell = Case(asset: "hero", mode: "none", render: "imageview", allocator: .glibc)
        #expect(!plan.cases.contains(cell))
        #expect(
            plan.inapplicable.first { $0.cell == cell }?.reason
                == "mode none does not fetch, so imageview cannot render anything")
    }

    @Test func bytesThatAreNoImageAreFetchedAndNotRendered() {
        let bytes = Asset(
            name: "64MiB", location: "/bytes/64MiB", isEmbedded: true, mediaType: "application/octet-stream")
        let plan = Plan.synthetic(assets: [bytes], modes: [FakeMode(name: "data")], allocators: [.glibc])
        #expect(plan.cases.map(\.identifier) == ["none/none/none/glibc", "64MiB/data/none/glibc"])
        #expect(
            plan.inapplicable.map(\.reason) == [
                "asset 64MiB is application/octet-stream, and imageview renders only images",
                "asset 64MiB is application/octet-stream, and thumbnail renders only images",
            ])
    }

    @Test func anAssetOfUnknownTypeIsGivenToTheRenderer() {
        let foreign = Asset(name: "big", location: "https://example.org/big", isEmbedded: false)
        let plan = Plan.synthetic(assets: [foreign], modes: [FakeMode(name: "data")], allocators: [.glibc])
        #expect(plan.inapplicable.isEmpty)
        #expect(plan.cases.count == 4)
    }

    @Test func aSetIsNotFetchedAtOnce() throws {
        var set = Asset(name: "gallery", location: "/gallery/manifest.json", isEmbedded: true, mediaType: "image/*")
        set.members = [Asset(name: "gallery-01", location: "/gallery/01.jpg", isEmbedded: true)]
        let plan = Plan.synthetic(assets: [set], modes: [FakeMode(name: "data")], allocators: [.glibc])
        #expect(plan.cases.allSatisfy { $0.mode == Case.nullMode })
        #expect(
            plan.inapplicable.first { $0.cell.mode == "data" }?.reason
                == "asset gallery is a set of 1 assets; give one of them, such as gallery-01, or a --scenario")
        let encoded = try JSONEncoder().encode(plan.assets)
        #expect(try JSONDecoder().decode([Asset].self, from: encoded) == [set])
        let single = String(decoding: try JSONEncoder().encode(Asset.hero), as: UTF8.self)
        #expect(!single.contains("members"), "what older runs do not have is stored only where it is there")
    }

    @Test func anAllocatorThatIsNotThereLeavesItsCellsOutWithTheReason() {
        let plan = Plan.synthetic(unavailable: [.jemalloc: "not on this machine"])
        #expect(plan.cases.allSatisfy { $0.allocator == .glibc })
        let left = plan.inapplicable.filter { $0.cell.allocator == .jemalloc }
        #expect(left.contains { $0.cell == .null(on: .jemalloc) })
        #expect(left.allSatisfy { $0.reason == "not on this machine" })
        #expect(left.count == plan.cases.count + plan.inapplicable.count - left.count)
    }

    @Test func noCellIsLostAndNoneIsThereTwice() {
        let plan = Plan.synthetic()
        let cells = plan.cases + plan.inapplicable.map(\.cell)
        // The null case, four modes with three models and `none` with the two models that need a body; two allocators.
        #expect(cells.count == (1 + 4 * 3 + 2) * 2)
        #expect(Set(cells).count == cells.count)
    }
}

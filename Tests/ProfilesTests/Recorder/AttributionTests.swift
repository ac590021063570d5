// SPDX-License-Identifier: Apache-2.0

import Profiles
import Testing

/// Held memory is known to the byte: the fixture allocates it at known lines.
struct AttributionTests {
    private static let mebibyte = 1 << 20

    @Test(arguments: Recorded.Allocator.allCases)
    func blocksAreFoundAtTheirLinesWithinFivePercent(allocator: Recorded.Allocator) async throws {
        let profile = try await Recorded(Recorded.fixture, ["planted"], on: allocator).profile()
        for (name, function, size) in [("eight", "holdEight", 8), ("sixteen", "holdSixteen", 16)] {
            let held = profile.bytes(through: PlantedLine.file, try PlantedLine.number(name), function)
            #expect(abs(held - size * Self.mebibyte) <= size * Self.mebibyte / 20, "\(name)")
        }
        #expect(try #require(profile.stackShare) > 0.6)
    }

    @Test(arguments: Recorded.Allocator.allCases)
    func aBlockThatReallocMovesIsThereTwiceOnlyWhereItIs(allocator: Recorded.Allocator) async throws {
        let profile = try await Recorded(Recorded.fixture, ["doubled"], on: allocator).profile()
        let line = try PlantedLine.number("doubled")
        let live = profile.bytes(through: PlantedLine.file, line, "double")
        let peak = profile.explainedPeak
        // glibc moves the pages of a block: there never are two. jemalloc copies, or keeps what it left.
        let others = [Holder.State.reallocated, .freed].map {
            profile.bytes(through: PlantedLine.file, line, "double", state: $0)
        }
        #expect(live >= 15 * Self.mebibyte && live <= 33 * Self.mebibyte)
        if allocator == .glibc { #expect(others.reduce(0, +) < Self.mebibyte) }
        #expect(peak >= 32 * Self.mebibyte)
        #expect(try #require(profile.stackShare) > 0.8)
    }

    @Test(arguments: Recorded.Allocator.allCases)
    func smallBlocksAreEstimatedWithinASixth(allocator: Recorded.Allocator) async throws {
        let recorded = try await Recorded(Recorded.fixture, ["small"], on: allocator)
        let profile = try await recorded.profile()
        let held = profile.bytes(through: PlantedLine.file, try PlantedLine.number("small"), "holdSmall")
        // 48 MB are some 730 samples: their standard deviation is 3.7 %.
        #expect(abs(held - 48_000_000) < 48_000_000 / 6)
        #expect(profile.recorder.allocationCount >= 1_000_000)
        #expect(profile.recorder.lostCount == 0)
        #expect(profile.holders.contains { $0.isEstimate })
    }

    @Test(arguments: Recorded.Allocator.allCases)
    func memoryThatIsNeverTouchedIsNotResident(allocator: Recorded.Allocator) async throws {
        let profile = try await Recorded(Recorded.fixture, ["untouched"], on: allocator).profile()
        let touched = profile.bytes(through: PlantedLine.file, try PlantedLine.number("untouched"), "holdUntouched")
        let read = profile.bytes(through: PlantedLine.file, try PlantedLine.number("zeros"), "readUntouched")
        #expect(touched <= 3 * Self.mebibyte)
        // Reading maps the one page of zeros, again and again: no memory of anybody's.
        #expect(read <= Self.mebibyte)
        #expect(abs(profile.unattributed) < Self.mebibyte)
    }

    @Test func memoryThatIsMappedWithoutTheAllocatorIsFound() async throws {
        let profile = try await Recorded(Recorded.fixture, ["mapped"]).profile()
        let held = profile.bytes(through: PlantedLine.file, try PlantedLine.number("mapped"), "holdMapped")
        #expect(abs(held - 12 * Self.mebibyte) < Self.mebibyte / 2)
    }

    @Test(arguments: Recorded.Allocator.allCases)
    func blocksThatAnotherThreadHasFreedAreNotHeld(allocator: Recorded.Allocator) async throws {
        let profile = try await Recorded(Recorded.fixture, ["elsewhere"], on: allocator).profile()
        #expect(profile.bytes(through: PlantedLine.file, try PlantedLine.number("eight"), "holdEight") == 0)
        let sixteen = profile.bytes(through: PlantedLine.file, try PlantedLine.number("sixteen"), "holdSixteen")
        #expect(abs(sixteen - 16 * Self.mebibyte) < Self.mebibyte)
    }

    @Test func itsOwnMemoryIsBelow8MiBAndInNoRow() async throws {
        let recorded = try await Recorded(Recorded.fixture, ["planted"])
        let peak = try #require(recorded.entries.first).peak
        #expect(peak.ownBytes > 4 << 20 && peak.ownBytes <= 8 << 20)
        let all = peak.mappings.reduce(0) { $0 + $1.resident }
        #expect(abs(Attribution(peak).total - (all - peak.ownBytes)) <= 4096)
    }
}

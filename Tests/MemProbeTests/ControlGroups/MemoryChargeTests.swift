// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

/// The files of a control group as a kernel wrote them: 8 MiB of a file, 4 MiB in `/dev/shm` and some 11 MiB of a shell.
private enum RecordedGroup: String, CaseIterable, CustomTestStringConvertible {
    case first = "cgroup-v1-6.18"
    case second = "cgroup-v2-6.1"

    var folder: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Recordings/\(rawValue)").path
    }

    var group: ControlGroup { ControlGroup(version: self == .first ? .first : .second, folder: folder) }

    func text(_ name: String) throws -> String { try String(contentsOfFile: folder + "/" + name, encoding: .utf8) }

    var testDescription: String { rawValue }
}

struct MemoryChargeTests {
    @Test func partsOfVersion2AreRead() throws {
        let parts = try ChargeStatistics(parsing: RecordedGroup.second.text("memory.stat"))
        #expect(parts.anonymous == ByteCount(12_189_696))
        #expect(parts.files == ByteCount(12_865_536))
        #expect(parts.sharedMemory == .mebibytes(4))
        #expect(parts.sockets == .zero)
        #expect(parts.kernel == ByteCount(184_320))
        #expect(parts.reclaim == ReclaimCounts(refaultedPages: 0, majorFaults: 5))
    }

    @Test func beforeLinux5x18TheKernelsPartsAreAdded() throws {
        let older = try RecordedGroup.second.text("memory.stat").split(separator: "\n")
            .filter { !$0.hasPrefix("kernel ") }.joined(separator: "\n")
        #expect(try ChargeStatistics(parsing: older).kernel == ByteCount(16_384 + 61_440 + 65_072))
    }

    @Test func version1CountsWithTheGroupsBelow() throws {
        let parts = try ChargeStatistics(parsing: RecordedGroup.first.text("memory.stat"))
        #expect(parts.anonymous == ByteCount(12_447_744))
        #expect(parts.files == ByteCount(12_595_200))
        #expect(parts.sharedMemory == .mebibytes(4))
        #expect(parts.sockets == nil)
        #expect(parts.reclaim == ReclaimCounts(refaultedPages: 3, majorFaults: 0))
    }

    @Test(arguments: RecordedGroup.allCases)
    private func thePartsMakeUpTheWhole(recorded: RecordedGroup) throws {
        var reader = try ChargeReader(recorded.group)
        let (charge, _) = try reader.charge()
        let parts = charge.anonymous + charge.pageCache + charge.sharedMemory + (charge.kernel ?? .zero)
        // Pages are charged in batches of 64 for each of two processors.
        #expect(charge.total - parts >= .zero)
        #expect(charge.total - parts <= .kibibytes(512))
        #expect(charge.sockets == .zero)
        #expect(abs(charge.pageCache.mebibytes - 8) < 0.5)
        #expect(try reader.peak().total >= charge.total)
    }

    @Test(arguments: RecordedGroup.allCases)
    private func noProcessWasKilled(recorded: RecordedGroup) {
        #expect(recorded.group.killCount == 0)
        #expect(recorded.group.limitHits == 0)
    }

    @Test(arguments: ["", "anon 1\n", "anon 1\nfile x\nshmem 1\n", "file 1\nshmem 2\n", "total_rss 5\ntotal_cache 1\n"])
    func aMissingPartIsAnError(text: String) {
        #expect(throws: MemProbeError.self) { try ChargeStatistics(parsing: text) }
    }
}

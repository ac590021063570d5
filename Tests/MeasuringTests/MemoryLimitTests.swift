// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Runs
import Testing

struct MemoryLimitTests {
    /// The limit that files with these contents set.
    private func limit(_ files: [String: String]) -> ByteCount? {
        ControlGroupMemory { files[$0] }.limit
    }

    @Test func theLowestLimitOnTheWayUpCounts() {
        let files = [
            "/proc/self/cgroup": "0::/user.slice/build.service\n",
            "/sys/fs/cgroup/user.slice/build.service/memory.max": "max\n",
            "/sys/fs/cgroup/user.slice/memory.max": "4294967296\n",
        ]
        #expect(limit(files) == .mebibytes(4096))
    }

    @Test func aContainerSeesItsOwnGroupAtTheRoot() {
        #expect(limit(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "536870912\n"]) == .mebibytes(512))
        let outside = [
            "/proc/self/cgroup": "5:cpuset:/docker/1234\n4:memory:/docker/1234\n0::/\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
        ]
        #expect(limit(outside) == .mebibytes(256))
    }

    @Test func theFirstVersionNamesItsControllers() {
        let files = [
            "/proc/self/cgroup": "3:cpu,cpuacct:/a\n2:hugetlb,memory:/a/b\n",
            "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1073741824\n",
            "/sys/fs/cgroup/cpu/a/memory.limit_in_bytes": "1\n",
        ]
        #expect(limit(files) == .mebibytes(1024))
    }

    @Test(arguments: [
        [:], ["/proc/self/cgroup": ""], ["/proc/self/cgroup": "no group\n"], ["/proc/self/cgroup": "0::/\n"],
        ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n"],
        ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "much\n"],
    ])
    func whatCannotBeReadLimitsNothing(files: [String: String]) {
        #expect(limit(files) == nil)
    }

    @Test func theStandardIsHalfOfTheLess() {
        #expect(TrialMemoryLimit.half(of: [.mebibytes(1000), .mebibytes(600)]) == .mebibytes(300))
        #expect(TrialMemoryLimit.half(of: [ByteCount(10_001)]) == ByteCount(4096), "whole pages")
        #expect(TrialMemoryLimit.half(of: []) == nil)
    }

    @Test func theStandardOfThisMachineLeavesRoomForATrial() throws {
        let limit = try #require(TrialMemoryLimit.standard)
        #expect(limit > .mebibytes(64) && limit.rawValue.isMultiple(of: 4096))
    }

    @Test func settingsOfOlderRunsHaveNone() throws {
        var settings = TrialSettings()
        settings.memoryLimit = .mebibytes(200)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let stored = String(decoding: try encoder.encode(settings), as: UTF8.self)
        #expect(stored.contains(#""memory_limit_bytes":209715200"#))
        #expect(try decoded(stored).memoryLimit == .mebibytes(200))
        let older = stored.replacingOccurrences(of: #""memory_limit_bytes":209715200,"#, with: "")
        #expect(older != stored)
        #expect(try decoded(older).memoryLimit == nil)
    }

    private func decoded(_ text: String) throws -> TrialSettings {
        try JSONDecoder().decode(TrialSettings.self, from: Data(text.utf8))
    }
}

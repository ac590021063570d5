// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

struct ControlGroupPlaceTests {
    /// Returns the place by files of these texts; those of the hierarchy exist.
    private func place(
        groups: String, mounts: String, files: [String: String]
    ) throws(ControlGroupObstacle) -> ControlGroupPlace {
        var files = files
        files["/proc/self/cgroup"] = groups
        files["/proc/self/mountinfo"] = mounts
        return try ControlGroupPlace { files[$0] }
    }

    private let first = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    private let second = "28 23 0:25 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"

    @Test func ofTwoHierarchiesTheOneWithTheMemoryControllerCounts() throws {
        let found = try place(
            groups: "9:name=systemd:/\n4:memory:/jobs/7\n1:cpu,cpuacct:/\n0::/\n",
            mounts: "34 31 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n" + first
                + "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n",
            files: ["/sys/fs/cgroup/memory/jobs/7/memory.usage_in_bytes": "0\n"])
        #expect(found == ControlGroupPlace(version: .first, folder: "/sys/fs/cgroup/memory/jobs/7"))
    }

    @Test func theGroupOfAUserIsBelowTheMount() throws {
        let path = "/user.slice/user-1000.slice/user@1000.service/app.slice/run-u3.scope"
        let found = try place(
            groups: "0::\(path)\n", mounts: second,
            files: ["/sys/fs/cgroup\(path)/cgroup.controllers": "cpu memory pids\n"])
        #expect(found == ControlGroupPlace(version: .second, folder: "/sys/fs/cgroup" + path))
    }

    @Test(arguments: [
        // In a namespace of its own, in that of the host, and with a part of the hierarchy mounted elsewhere.
        ("0::/\n", "/", "/sys/fs/cgroup"), ("0::/docker/ab\n", "/docker/ab", "/sys/fs/cgroup"),
        ("0::/\n", "/docker/ab", "/sys/fs/cgroup"), ("0::/docker/ab/in\n", "/docker/ab", "/sys/fs/cgroup/in"),
        ("0::/docker/abc\n", "/", "/sys/fs/cgroup/docker/abc"),
    ])
    func theGroupOfAContainerIsFound(groups: String, root: String, folder: String) throws {
        let mounts = "28 23 0:25 \(root) /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"
        let found = try place(groups: groups, mounts: mounts, files: [folder + "/cgroup.controllers": "memory\n"])
        #expect(found.folder == folder)
    }

    @Test func escapesInMountPointsAreRead() throws {
        let found = try place(
            groups: "0::/\n", mounts: "28 23 0:25 / /my\\040groups rw - cgroup2 cgroup2 rw\n",
            files: ["/my groups/cgroup.controllers": "memory\n"])
        #expect(found.folder == "/my groups")
    }

    @Test func aSessionThatMadeRoomForGroupsStillKnowsItsPlace() throws {
        // Its leaf is gone: another session has just moved everything back.
        let found = try place(
            groups: "0::/job/memprobe-own\n", mounts: second,
            files: ["/sys/fs/cgroup/job/cgroup.controllers": "memory\n"])
        #expect(found.folder == "/sys/fs/cgroup/job")
    }

    @Test(
        arguments: [
            ("", "", ControlGroupObstacle.noController),
            ("3:cpu:/\n", "28 23 0:25 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", .noController),
            ("0::/\n", "", .notMounted), ("4:memory:/a\n", "", .notMounted),
            ("0::/../b\n", "28 23 0:25 /a /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", .hidden),
            ("0::/b\n", "28 23 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", .hidden),
        ] as [(String, String, ControlGroupObstacle)])
    func anObstacleIsNamed(groups: String, mounts: String, obstacle: ControlGroupObstacle) {
        #expect(throws: obstacle) { try place(groups: groups, mounts: mounts, files: [:]) }
    }

    @Test(arguments: ["4:memory", "::", "0:", "x:memory:a", "4:memory:/a\u{0}"])
    func malformedLinesAreNoGroup(line: String) {
        #expect(throws: ControlGroupObstacle.self) {
            try place(groups: line + "\n", mounts: first + "28 -\n- - - -\n", files: [:])
        }
    }

    @Test func theLowestVisibleLimitApplies() {
        let place = ControlGroupPlace(version: .second, folder: "/sys/fs/cgroup/a/b")
        let limits = [
            "/sys/fs/cgroup/a/b/memory.max": "max\n", "/sys/fs/cgroup/a/memory.max": "1073741824\n",
            "/sys/fs/cgroup/memory.max": "2147483648\n",
        ]
        #expect(place.limit { limits[$0] } == .mebibytes(1024))
        #expect(place.limit { _ in nil } == nil)
        #expect(place.limit { _ in "much\n" } == nil)
    }

    @Test(arguments: [
        ("0::/a\n", ["a/cpu.max": "max 100000\n", "cpu.max": "50000 100000\n"], 0.5),
        ("0::/a\n", ["a/cpu.max": "max 100000\n"], nil),
        ("1:cpu,cpuacct:/a\n", ["a/cpu.cfs_quota_us": "150000\n", "a/cpu.cfs_period_us": "100000\n"], 1.5),
        ("1:cpu,cpuacct:/a\n", ["a/cpu.cfs_quota_us": "-1\n", "a/cpu.cfs_period_us": "100000\n"], nil),
    ])
    func theQuotaOfProcessorsIsFound(group: String, values: [String: String], quota: Double?) {
        var files = Dictionary(uniqueKeysWithValues: values.map { ("/sys/fs/cgroup/" + $0, $1) })
        (files["/sys/fs/cgroup/a/cgroup.controllers"], files["/proc/self/cgroup"]) = ("cpu\n", group)
        files["/proc/self/mountinfo"] = second + "34 31 0:31 / /sys/fs/cgroup rw - cgroup cgroup rw,cpu,cpuacct\n"
        #expect(ControlGroupPlace.processorQuota { files[$0] } == quota)
    }

    @Test func version1HasANumberWhereThereIsNoLimit() {
        let place = ControlGroupPlace(version: .first, folder: "/sys/fs/cgroup/memory/a")
        let limits = [
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
        ]
        #expect(place.limit { limits[$0] } == .mebibytes(256))
    }
}

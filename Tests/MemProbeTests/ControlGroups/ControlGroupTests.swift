// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import Testing

private let place: ControlGroupPlace? = {
    guard let place = try? ControlGroupPlace.here.get(), (try? ControlGroupSession(in: place)) != nil else {
        return nil
    }
    return place
}()

@Suite(.enabled(if: place != nil, "no control group can be made here"))
struct ControlGroupTests {
    private let session: ControlGroupSession

    init() throws { session = try ControlGroupSession(in: try #require(place)) }

    private static var batches: ByteCount {
        ByteCount(64 * Int(getpagesize()) * sysconf(CInt(_SC_NPROCESSORS_CONF)))
    }

    private func run(_ words: String..., in group: ControlGroup) async throws -> ProcessEnd {
        var launch = ChildLaunch(
            executable: words[0], arguments: Array(words.dropFirst()), environment: [:], limit: .seconds(60))
        launch.controlGroup = group
        return try await launch.run()
    }

    private func withGroup(_ body: (ControlGroup) async throws -> Void) async throws {
        let group = try session.group("test-\(UUID().uuidString)")
        do {
            try await body(group)
        } catch {
            group.remove()
            throw error
        }
        #expect(group.remove())
        #expect(access(group.folder, F_OK) != 0)
    }

    /// A path that nothing else uses, of a file that is removed.
    private func withFile(in folder: String, _ body: (String) async throws -> Void) async throws {
        let path = "\(folder)/memprobe-\(UUID().uuidString)"
        defer { unlink(path) }
        try await body(path)
    }

    @Test func sessionsThatBeginAndEndTogetherAllMakeGroups() async throws {
        let place = try #require(place)
        try await withThrowingTaskGroup { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    for _ in 0..<5 {
                        let group = try ControlGroupSession(in: place).group("together")
                        _ = group
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }

    @Test func aFileThatIsWrittenIsPageCache() async throws {
        try await withGroup { group in
            try await withFile(in: "/var/tmp") { path in
                let end = try await run("/bin/dd", "if=/dev/zero", "of=\(path)", "bs=1M", "count=24", in: group)
                #expect(end.ending == .exited(0))
                var reader = try ChargeReader(group)
                let (charge, _) = try reader.charge()
                #expect(charge.pageCache >= .mebibytes(24))
                #expect(charge.pageCache <= .mebibytes(26))
                #expect(charge.anonymous <= .mebibytes(1))
                // `dd` holds a block of 1 MiB.
                #expect(try reader.peak().total <= .mebibytes(28) + Self.batches)
            }
        }
    }

    @Test func aFileInMemoryIsSharedMemory() async throws {
        try await withGroup { group in
            try await withFile(in: "/dev/shm") { path in
                _ = try await run("/bin/dd", "if=/dev/zero", "of=\(path)", "bs=1M", "count=12", in: group)
                var reader = try ChargeReader(group)
                let (charge, _) = try reader.charge()
                #expect(charge.sharedMemory == .mebibytes(12))
                #expect(charge.pageCache <= .mebibytes(1))
            }
        }
    }

    @Test func thePeakOutlivesTheProcess() async throws {
        try await withGroup { group in
            _ = try await run("/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=32M", "count=1", in: group)
            var reader = try ChargeReader(group)
            let peak = try reader.peak()
            #expect(peak.total >= .mebibytes(32))
            #expect(peak.total <= .mebibytes(35) + Self.batches)
            #expect(try reader.total() <= .mebibytes(4))
        }
    }

    @Test func aProcessOverTheLimitIsKilled() async throws {
        try await withGroup { group in
            try group.setLimit(.mebibytes(16))
            let end = try await run("/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=32M", "count=1", in: group)
            #expect(end.ending == .signalled(Int(SIGKILL)))
            #expect(group.killCount == 1)
            #expect((group.limitHits ?? 0) > 0)
            var reader = try ChargeReader(group)
            #expect(try reader.peak().total <= .mebibytes(16) + Self.batches)
        }
    }

    @Test func pageCacheIsReclaimedBeforeAnythingIsKilled() async throws {
        try await withGroup { group in
            try group.setLimit(.mebibytes(16))
            try await withFile(in: "/var/tmp") { path in
                let end = try await run("/bin/dd", "if=/dev/zero", "of=\(path)", "bs=1M", "count=48", in: group)
                #expect(end.ending == .exited(0))
                #expect(group.killCount == 0)
            }
        }
    }

    @Test func aProcessThatCannotEnterItsGroupIsNotStarted() async throws {
        let nowhere = ControlGroup(version: .first, folder: "/nonexistent")
        let end = try await run("/bin/true", in: nowhere)
        #expect(end.ending == .notStarted("No such file or directory"))
        for method in ["automatic", "polled"] {
            var supervisor = Supervisor(["/bin/true"])
            (supervisor.controlGroup, supervisor.method) = (nowhere, method)
            let answer = try supervisor.run().answer
            #expect(answer.trace == nil && answer.errorSource?.contains("control group") == true, "\(answer)")
        }
    }

    /// Six copies that write to all of what their parent held, for some milliseconds; each is as large as it alone.
    @Test(arguments: ["exitStops", "polled"]) func aGroupTellsWhatCopiesHoldTogether(method: String) async throws {
        try await withGroup { group in
            var supervisor = Supervisor(fixture: "copies", "6", "25", "25", "20")
            (supervisor.controlGroup, supervisor.method) = (group, method)
            let trace = try supervisor.trace()
            let truth = ByteCount.mebibytes(7 * 25)
            #expect(isClose(trace.treeMaximum.anonymous, truth, within: .mebibytes(3)), "\(trace.treeMaximum)")
            #expect(trace.peak.resident > truth && trace.peakAtMost > trace.peak.resident)
            // Program pages, which are no part of it, are those at the ends: polling does not read them.
            guard method == "exitStops" else { return }
            let (least, most) = (try #require(trace.netPeak), try #require(trace.netPeakAtMost))
            #expect(isClose(least, truth, within: .mebibytes(3)) && trace.peak.source == .controlGroup)
            #expect(most > least && isClose(least, most, within: .mebibytes(8)), "\(least) … \(most)")
        }
    }

    /// A limit above is not the group's own, a kill below is one in it, and groups below are removed with it.
    @Test func limitsAndKillsAreThoseOfTheirGroups() async throws {
        try await withGroup { group in
            try group.setLimit(.mebibytes(16))
            try? "+memory".write(toFile: group.folder + "/cgroup.subtree_control", atomically: false, encoding: .utf8)
            let below = ControlGroup(version: group.version, folder: group.folder + "/below")
            try FileManager.default.createDirectory(atPath: below.folder, withIntermediateDirectories: false)
            let sampler = try ChargeSampler(below, storage: ChargeSampler.Storage(capacity: 1000))
            _ = try await run("/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=32M", "count=1", in: below)
            let series = sampler.stop()
            #expect(series.limitHits == 0 && series.killCount == 1 && group.killCount == 1)
            #expect(series.limitAbove?.folder == group.folder && series.limitAbove?.limit == .mebibytes(16))
        }
    }

    @Test func theGroupsOfAKilledProcessAreRemoved() throws {
        let fixture = try FixtureProcess(["groups"])
        let folder = try #require(fixture.readAnswers(through: "folder")["folder"])
        #expect(access(folder, F_OK) == 0)
        fixture.kill()
        fixture.finish()
        for _ in 0..<500 where access(folder, F_OK) == 0 { usleep(10_000) }
        #expect(access(folder, F_OK) != 0)
    }

    @Test func theNextSessionRemovesWhatAKilledKeeperLeft() throws {
        let fixture = try FixtureProcess(["groups"])
        let folder = try #require(fixture.readAnswers(through: "folder")["folder"])
        let children = try String(
            contentsOfFile: "/proc/\(fixture.identifier)/task/\(fixture.identifier)/children", encoding: .utf8)
        for child in children.split(separator: " ").compactMap({ Int32($0) }) { kill(child, SIGKILL) }
        fixture.kill()
        fixture.finish()
        #expect(access(folder, F_OK) == 0)
        _ = try ControlGroupSession(in: try #require(place))
        #expect(access(folder, F_OK) != 0)
    }
}

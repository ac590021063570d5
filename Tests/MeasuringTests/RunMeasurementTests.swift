// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Judging
import Measuring
import Reports
import Runs
import Testing

/// Measurements of every kind, as their folders keep them: begun, taken up again and refused, without a trial.
struct RunMeasurementTests {
    private static let kinds: [RunRecord.Kind] = [.run, .check, .comparison, .calibration]

    @Test(arguments: kinds)
    func everyKindHasItsRecordFromTheStart(kind: RunRecord.Kind) async throws {
        try await withTemporaryFolder { folder in
            let measurement = try await FakeMeasurement.begun(kind, in: folder)
            let stored = try RunStore.load(measurement.folder)
            #expect(stored == measurement.record)
            #expect(stored.kind == kind && stored.finishedAt == nil && stored.trials.isEmpty)
            #expect(stored.schema == 3)
            #expect(stored.identifier.hasPrefix("20260102T030405Z-") && measurement.folder.name == stored.identifier)
            #expect(stored.environment.label == "here")
            #expect(stored.budgets == (kind == .check ? ["*: peak <= 4 MiB"] : nil))
            #expect(stored.noise?["hero/data/none/glibc", "net_peak_growth_bytes"] == 20_480)
            #expect((stored.comparison != nil) == kind.isPaired)
            #expect(
                try measurement.folder.data(of: .samples).isEmpty == false && measurement.folder.data(of: .log).isEmpty)
        }
    }

    @Test(arguments: kinds)
    func writersLockOthersOut(kind: RunRecord.Kind) async throws {
        try await withTemporaryFolder { folder in
            let measurement = try await FakeMeasurement.begun(kind, in: folder)
            #expect(throws: FetchBenchError.self) {
                try FakeMeasurement.resumed(measurement.folder, kind, in: .fake(folder))
            }
            withExtendedLifetime(measurement) {}
        }
    }

    @Test func onlyTheSameCommandTakesItUpAgain() async throws {
        try await withTemporaryFolder { folder in
            let path = try await FakeMeasurement.begun(.comparison, in: folder).folder
            #expect(throws: FetchBenchError.otherKindOfRun(name: path.name, kind: .comparison)) {
                try FakeMeasurement.resumed(path, .run, in: .fake(folder))
            }
            #expect(throws: FetchBenchError.otherKindOfRun(name: path.name, kind: .comparison)) {
                try RunStore.load(path, kinds: [.run, .check])
            }
            let resumed = try FakeMeasurement.resumed(path, .comparison, in: .fake(folder))
            #expect(resumed.record.plan.trials == 5 && resumed.done.isEmpty)
        }
    }

    @Test func anotherMachineDoesNotFinishIt() async throws {
        try await withTemporaryFolder { folder in
            let path = try await FakeMeasurement.begun(.run, in: folder).folder
            var elsewhere = HarnessContext.fake(folder)
            elsewhere.outside.machine = { _ in
                var environment = SyntheticRun.environment
                environment.processorCount += 1
                return environment
            }
            #expect(
                performing: { try FakeMeasurement.resumed(path, .run, in: elsewhere) },
                throws: { "\($0)".contains(path.name) })
        }
    }

    @Test func aReplacedProgramOfACommandIsNotMeasuredOn() async throws {
        try await withTemporaryFolder { folder in
            func build(_ text: String) throws {
                try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/prog"))
                chmod(folder + "/prog", 0o755)
            }
            try build("#!/bin/sh\n")
            var words = PlanWords()
            words.plainCommands = [ExternalCommand(name: "a", command: "env A=1 sh -c 'cd .; ./prog'")]
            let request = try PlanRequest(words, .fake)
            let harness = HarnessContext.fake(folder)
            let measurement = try await request.begun(in: folder)
            #expect(try RunStore.load(measurement.folder).executables?.map(\.name) == ["./prog", "env", "sh"])
            func resumed() throws {
                _ = try TrialInputs(
                    resuming: measurement.record, url: nil, commands: [], programs: .fake, named: [], in: harness)
            }
            try resumed()
            try build("#!/bin/sh\ntrue\n")
            let refusal = FetchBenchError.runIsOfAnotherPlace(
                name: measurement.folder.name, differences: ["./prog is another file than it was"])
            #expect(throws: refusal) { try resumed() }
            #expect(throws: refusal) { try measurement.confirming(measurement.record, of: []) }
        }
    }

    @Test func limitsThatProgramsSeeAreStoredAndCompared() async throws {
        await #expect(processExitsWith: .success) {
            let limits = [
                (RLIMIT_AS, 1 << 41), (RLIMIT_DATA, 1 << 40), (RLIMIT_STACK, 4 << 20), (RLIMIT_NOFILE, 500),
            ]
            for (resource, size) in limits {
                var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t(size))
                #expect(setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0)
            }
            #expect(try TestProcess.run("/usr/bin/taskset", ["-pc", "0", "\(getpid())"]).status == 0)
            let machine = EnvironmentProbe.environment(
                temporaryDirectory: "/", commit: nil, hasUncommittedChanges: nil, label: nil
            ).seeing(
                [
                    "MALLOC_ARENA_MAX": "1", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
                    "LD_PRELOAD": "/a/b.so:c.so",
                    "A": "1", "http_proxy": "http://user:secret@p:1", "NO_PROXY": "a",
                ], reachesOut: true)
            var seen = machine.conditions ?? [:]
            for (name, value) in seen {
                var other = machine
                other.conditions?[name] = value + "0"
                #expect(EnvironmentMatch(machine, other).hard == ["\(name): \(value) and \(value)0"])
            }
            for name in ["memory limit of the control group", "processor quota", "swap space"] {
                #expect(seen.removeValue(forKey: name) != nil)
            }
            let commitment = try String(contentsOfFile: "/proc/sys/vm/overcommit_memory", encoding: .utf8).prefix(1)
            #expect(
                seen == [
                    "allowed processors": "1", "limit of address space (ulimit -v)": "2199023255552",
                    "limit of data (ulimit -d)": "1099511627776", "limit of stacks (ulimit -s)": "4194304",
                    "limit of open files (ulimit -n)": "500", "overcommitment of memory": String(commitment),
                    "MALLOC_ARENA_MAX": "1", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "LD_PRELOAD": "b.so c.so",
                    "proxies": "http_proxy NO_PROXY",
                ])
        }
    }

    @Test func aKernelThatBatchesReadingsIsTheSameMachineEachTime() {
        let exact = SyntheticRun.environment
        var (first, second) = (exact, exact)
        (first.exactness, second.exactness) = ("off by up to 996 KiB", "off by up to 552 KiB")
        #expect(EnvironmentMatch(first, second).hard.isEmpty && EnvironmentMatch(exact, second).hard.count == 1)
    }

    @Test func finishedRunsAreNotResumed() async throws {
        try await withTemporaryFolder { folder in
            let path = try await FakeMeasurement.finished(.run, in: folder, renderers: Formats.ofRuns)
            #expect(throws: FetchBenchError.self) { try FakeMeasurement.resumed(path, .run, in: .fake(folder)) }
            let names = try FileManager.default.contentsOfDirectory(atPath: path.path)
            #expect(
                Set(names) == [
                    "run.json", "trials.jsonl", "trials.csv", "samples.csv", "summary.csv", "report.md", "report.html",
                ])
        }
    }

    /// The disk was full when the verdict was to be written: the trials are there, and are judged again.
    @Test(arguments: [RunRecord.Kind.check, .comparison, .calibration])
    func measuredButUnjudgedRunsAreResumed(kind: RunRecord.Kind) async throws {
        try await withTemporaryFolder { folder in
            let path = try await FakeMeasurement.finished(kind, in: folder, renderers: Formats.ofPairs)
            #expect(throws: Never.self) { try FakeMeasurement.resumed(path, kind, in: .fake(folder)) }
            try path.write("{}", to: kind == .calibration ? .calibration : .judgement)
            #expect(throws: FetchBenchError.self) { try FakeMeasurement.resumed(path, kind, in: .fake(folder)) }
        }
    }

    @Test func tablesOfPairsNeverMixTheSides() async throws {
        try await withTemporaryFolder { folder in
            let measurement = try await FakeMeasurement.begun(.comparison, in: folder)
            _ = try measurement.finished(at: "2026-01-02T04:00:00Z", renderers: Formats.ofPairs)
            let names = try FileManager.default.contentsOfDirectory(atPath: measurement.folder.path)
            #expect(Set(names) == ["run.json", "trials.jsonl", "trials.csv", "samples.csv"])
        }
    }

    @Test func aConfirmationIsTakenUpWhereItStands() async throws {
        try await withTemporaryFolder { folder in
            let measurement = try await FakeMeasurement.begun(.check, in: folder)
            var run = measurement.record
            run.finishedAt = "2026-01-02T04:00:00Z"
            let cells = Array(run.plan.cases.dropFirst())
            func confirming(_ cells: [Case]) throws -> RunMeasurement { try measurement.confirming(run, of: cells) }
            let first = try confirming(cells).folder
            #expect(first.path == measurement.folder.path + "-confirmation", "it stands beside the run")
            #expect(try confirming(cells).folder == first, "interrupted")
            _ = try confirming(cells).finished(at: "2026-01-02T05:00:00Z", renderers: [])
            #expect(try confirming(cells).folder == first, "finished, and not judged yet")
            #expect(try confirming(run.plan.cases).folder.name == first.name + "-2", "another plan")
        }
    }

    @Test func theEnvironmentIsStampedWithTheRevisionAndTheLabel() {
        var here = SyntheticRun.environment
        here.label = "before"
        let stamped = here.stamped(SourceRevision(commit: "cafe123", hasUncommittedChanges: true), label: "bench")
        #expect(stamped.commit == "cafe123" && stamped.hasUncommittedChanges == true && stamped.label == "bench")
        #expect(stamped.stamped(nil) != stamped && stamped.stamped(nil).commit == nil, "no repository, no commit")
    }

    @Test(arguments: [
        ("results/run", "results"), ("results/run/", "results"), ("run", "."), ("/run", "/"), (".", "./.."),
        ("a/..", "a/../.."),
    ])
    func theParentOfAFolderFollowsFromItsPath(path: String, parent: String) {
        #expect(RunFolder(existing: path).parent == parent)
    }

    @Test func printedCommandsReproduceTheRun() async throws {
        try await withTemporaryFolder { folder in
            let commands: [RunRecord.Kind: String] = [
                .run: "fetchbench run --asset hero", .check: "fetchbench run --asset hero",
                .comparison: "fetchbench compare --base BASE --head HEAD --asset hero",
                .calibration: "fetchbench calibrate --pairs 5 --asset hero",
            ]
            for (kind, command) in commands {
                let reproduce = try await FakeMeasurement.begun(kind, in: folder).record.reproduce
                #expect(
                    reproduce.hasPrefix(command) && reproduce.contains("--trials") == !kind.isPaired, "\(reproduce)")
            }
        }
    }

    @Test func aFolderForTemporaryFilesThatIsNotThereIsNamed() async throws {
        try await withTemporaryFolder { folder in
            let request = try FakeMeasurement.request()
            let plan = try await request.synthetic().plan
            await #expect(
                throws: FetchBenchError.cannotWrite(name: "the temporary folder (TMPDIR)", errno: ENOENT)
            ) {
                try await RunMeasurement.begun(
                    .run, of: request, plan, to: RunMeasurement.Destination(output: folder, label: nil),
                    in: .fake(folder + "/nowhere"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test func publishedRunsCanBeReadAndDrawn() throws {
        let results = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "results").path
        let folders = try FileManager.default.contentsOfDirectory(atPath: results).map { results + "/" + $0 }
            .filter { FileManager.default.fileExists(atPath: $0 + "/run.json") }
        try #require(!folders.isEmpty)
        for folder in folders {
            let run = try RunStore.load(RunFolder(existing: folder))
            #expect(!run.kind.isPaired && !run.trials.isEmpty)
            let lines = try Formats.ofRuns[0].text(of: Report(run)).split(separator: "\n")
            #expect(lines.contains { $0.contains("fetch ms") })
        }
    }
}

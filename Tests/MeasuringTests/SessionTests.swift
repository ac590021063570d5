// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Judging
import Measuring
import MemProbe
import OperatingSystem
import Reports
import Runs
import Statistics
import Testing
import TrialKit

/// Sessions of every kind, as their folders keep them: begun, taken up again and refused, without a trial.
struct SessionTests {
    private static let kinds: [RunRecord.Kind] = [.run, .check, .comparison, .calibration]

    @Test(arguments: kinds)
    func everyKindHasItsRecordFromTheStart(kind: RunRecord.Kind) async throws {
        try await withTemporaryFolder { folder in
            let session = try await FakeSession.begun(kind, in: folder)
            let stored = try RunStore.load(session.folder)
            #expect(stored == session.record)
            #expect(stored.kind == kind && stored.finishedAt == nil && stored.trials.isEmpty)
            #expect(stored.schema == 3)
            #expect(stored.identifier.hasPrefix("20260102T030405Z-") && session.folder.name == stored.identifier)
            #expect(stored.environment.label == "here")
            #expect(stored.budgets == (kind == .check ? ["*: peak <= 4 MiB"] : nil))
            #expect(stored.noise?["hero/data/none/glibc", "net_peak_growth_bytes"] == 20_480)
            #expect((stored.comparison != nil) == kind.isPaired)
            #expect(try session.folder.data(of: .samples).isEmpty == false && session.folder.data(of: .log).isEmpty)
        }
    }

    @Test(arguments: kinds)
    func writersLockOthersOut(kind: RunRecord.Kind) async throws {
        try await withTemporaryFolder { folder in
            let session = try await FakeSession.begun(kind, in: folder)
            #expect(throws: FetchBenchError.runIsGoingOn(name: session.folder.name)) {
                try Session.resumed(session.folder, kinds: [kind], in: .fake(folder))
            }
            withExtendedLifetime(session) {}
        }
    }

    @Test func onlyTheSameCommandTakesItUpAgain() async throws {
        try await withTemporaryFolder { folder in
            let path = try await FakeSession.begun(.comparison, in: folder).folder
            #expect(throws: FetchBenchError.otherKindOfRun(name: path.name, kind: .comparison)) {
                try Session.resumed(path, kinds: [.run], in: .fake(folder))
            }
            #expect(throws: FetchBenchError.otherKindOfRun(name: path.name, kind: .comparison)) {
                try RunStore.load(path, kinds: [.run, .check])
            }
            let resumed = try Session.resumed(path, kinds: [.comparison], in: .fake(folder))
            #expect(resumed.record.plan.trials == 5 && resumed.done.isEmpty)
        }
    }

    @Test func anotherMachineDoesNotFinishIt() async throws {
        try await withTemporaryFolder { folder in
            let path = try await FakeSession.begun(.run, in: folder).folder
            var elsewhere = HarnessContext.fake(folder)
            elsewhere.outside.machine = { _ in
                var environment = SyntheticRun.environment
                environment.processorCount += 1
                return environment
            }
            #expect(
                performing: { try Session.resumed(path, kinds: [.run], in: elsewhere) },
                throws: {
                    if case FetchBenchError.runIsOfAnotherPlace(path.name, _) = $0 { true } else { false }
                })
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
            let path = try await FakeSession.finished(.run, in: folder, renderers: Formats.ofRuns)
            #expect(throws: FetchBenchError.runFinished(name: path.name)) {
                try Session.resumed(path, kinds: [.run], in: .fake(folder))
            }
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
            let path = try await FakeSession.finished(kind, in: folder, renderers: Formats.ofPairs)
            #expect(throws: Never.self) { try Session.resumed(path, kinds: [kind], in: .fake(folder)) }
            try path.write("{}", to: kind == .calibration ? .calibration : .judgement)
            #expect(throws: FetchBenchError.runFinished(name: path.name)) {
                try Session.resumed(path, kinds: [kind], in: .fake(folder))
            }
        }
    }

    @Test func tablesOfPairsNeverMixTheSides() async throws {
        try await withTemporaryFolder { folder in
            let session = try await FakeSession.begun(.comparison, in: folder)
            _ = try session.finished(at: "2026-01-02T04:00:00Z", renderers: Formats.ofPairs)
            let names = try FileManager.default.contentsOfDirectory(atPath: session.folder.path)
            #expect(Set(names) == ["run.json", "trials.jsonl", "trials.csv", "samples.csv"])
        }
    }

    @Test func aConfirmationIsTakenUpWhereItStands() async throws {
        try await withTemporaryFolder { folder in
            let session = try await FakeSession.begun(.check, in: folder)
            var run = session.record
            run.finishedAt = "2026-01-02T04:00:00Z"
            let cells = Array(run.plan.cases.dropFirst())
            func confirming(_ cells: [Case]) throws -> Session {
                try Session.confirming(run, in: session.folder, of: cells, harness: .fake(folder))
            }
            let first = try confirming(cells).folder
            #expect(first.path == session.folder.path + "-confirmation", "it stands beside the run")
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
                let reproduce = try await FakeSession.begun(kind, in: folder).record.reproduce
                #expect(
                    reproduce.hasPrefix(command) && reproduce.contains("--trials") == !kind.isPaired, "\(reproduce)")
            }
        }
    }

    @Test func aFolderForTemporaryFilesThatIsNotThereIsNamed() async throws {
        try await withTemporaryFolder { folder in
            let request = try FakeSession.request()
            let plan = try await request.synthetic().plan
            await #expect(
                throws: FetchBenchError.file(.cannotWrite(name: "the temporary folder (TMPDIR)", errno: ENOENT))
            ) {
                try await Session.begun(
                    .run, of: request, plan, to: Session.Destination(output: folder, label: nil),
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

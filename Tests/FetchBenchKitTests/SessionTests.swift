// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import MemProbe
import Statistics
import Testing
import TrialKit

/// Sessions of every kind, as their folders keep them: begun, taken up again and refused, without a trial.
struct SessionTests {
    private static let kinds: [RunRecord.Kind] = [.run, .check, .comparison, .calibration]

    private func request() throws -> PlanRequest {
        var words = PlanWords()
        words.modes = ["data"]
        words.suite = try SuiteFile(
            parsing:
                "budgets: [\"*: peak <= 4 MiB\"]\nnoise:\n  hero/data/none/glibc:\n    net_peak_growth_bytes: 20KiB\n",
            fileName: "suite")
        return try PlanRequest(words, .fake, assets: FakeAssets())
    }

    private func begun(_ kind: RunRecord.Kind, in folder: String) async throws -> Session {
        let request = try request()
        let plan = try await request.synthetic().plan
        let destination = Session.Destination(output: folder + "/results", label: "here")
        guard kind.isPaired else {
            return try await Session.begun(kind, of: request, plan, to: destination, in: .fake(folder))
        }
        return try await PairedSession.begun(
            kind, .programs(base: .fake, head: .fake), of: request, plan, pairs: 5, to: destination, in: .fake(folder)
        ).session
    }

    @Test(arguments: kinds)
    func everyKindHasItsRecordFromTheStart(kind: RunRecord.Kind) async throws {
        try await withTemporaryFolder { folder in
            let session = try await begun(kind, in: folder)
            let stored = try RunStore.load(session.folder)
            #expect(stored == session.record)
            #expect(stored.kind == kind && stored.finishedAt == nil && stored.trials.isEmpty)
            #expect(stored.schema == (kind.isPaired ? 2 : 1), "an older build reads plain runs, and no pairs")
            #expect(stored.identifier.hasPrefix("20260102T030405Z-") && session.folder.name == stored.identifier)
            #expect(stored.environment.label == "here")
            #expect(stored.budgets == (kind == .check ? ["*: peak <= 4 MiB"] : nil))
            #expect(stored.noise?["hero/data/none/glibc", "net_peak_growth_bytes"] == 20_480)
            #expect((stored.comparison != nil) == kind.isPaired)
            #expect(try session.folder.data(of: .samples).isEmpty == false && session.folder.data(of: .log).isEmpty)
        }
    }

    @Test(arguments: kinds)
    func whoWritesKeepsOthersOut(kind: RunRecord.Kind) async throws {
        try await withTemporaryFolder { folder in
            let session = try await begun(kind, in: folder)
            #expect(throws: FetchBenchError.runIsGoingOn(name: session.folder.name)) {
                try Session.resumed(session.folder, kinds: [kind], in: .fake(folder))
            }
            withExtendedLifetime(session) {}
        }
    }

    @Test func onlyTheSameCommandTakesItUpAgain() async throws {
        try await withTemporaryFolder { folder in
            let path = try await begun(.comparison, in: folder).folder
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
            let path = try await begun(.run, in: folder).folder
            var elsewhere = HarnessSurroundings.fake(folder)
            elsewhere.environment = {
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

    @Test func whatIsFinishedIsNotTakenUp() async throws {
        try await withTemporaryFolder { folder in
            let session = try await begun(.check, in: folder)
            _ = try session.finished(at: "2026-01-02T04:00:00Z", renderers: Formats.ofRuns)
            #expect(throws: FetchBenchError.runFinished(name: session.folder.name)) {
                try Session.resumed(session.folder, kinds: [.check], in: .fake(folder))
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: session.folder.path)
            #expect(
                Set(names) == ["run.json", "trials.jsonl", "trials.csv", "samples.csv", "summary.csv", "report.md"])
        }
    }

    @Test func tablesOfPairsNeverMixTheSides() async throws {
        try await withTemporaryFolder { folder in
            let session = try await begun(.comparison, in: folder)
            _ = try session.finished(at: "2026-01-02T04:00:00Z", renderers: Formats.ofPairs)
            let names = try FileManager.default.contentsOfDirectory(atPath: session.folder.path)
            #expect(Set(names) == ["run.json", "trials.jsonl", "trials.csv", "samples.csv"])
        }
    }

    @Test func anotherBuildDoesNotFinishAComparison() async throws {
        try await withTemporaryFolder { folder in
            let session = try await begun(.comparison, in: folder)
            let subjects = TrialHost.Subjects(url: nil, commands: [:], programs: .fake)
            let here = HarnessSurroundings.fake(folder)
            #expect(throws: Never.self) {
                try PairedSession(resuming: session, .programs(base: .fake, head: .fake), subjects, in: here)
            }
            // Another size of a file of the same name.
            let other = folder + "/trial-one"
            try Data("another program".utf8).write(to: URL(fileURLWithPath: other))
            let rebuilt = TrialPrograms(
                executables: [TrialExecutable(path: other, description: TrialPrograms.fake.executables[0].description)])
            #expect(throws: FetchBenchError.otherSides(name: session.folder.name, side: .head)) {
                try PairedSession(resuming: session, .programs(base: .fake, head: rebuilt), subjects, in: here)
            }
            let command = try ExternalCommand(parsing: "command=curl {url}")
            #expect(throws: FetchBenchError.otherSides(name: session.folder.name, side: .base)) {
                try PairedSession(resuming: session, .commands(base: command, head: command), subjects, in: here)
            }
        }
    }

    @Test func secretsHaveToBeGivenAgain() async throws {
        try await withTemporaryFolder { folder in
            var words = PlanWords()
            words.commands = ["get=curl -H 'Authorization: hidden' {url}"]
            let request = try PlanRequest(words, .fake, assets: FakeAssets())
            let here = HarnessSurroundings.fake(folder)
            let plan = try await request.synthetic().plan
            let session = try await Session.begun(
                .run, of: request, plan, to: Session.Destination(output: folder, label: nil), in: here)
            #expect(try !RunStore.text(of: session.record).contains("hidden"))
            #expect(request.subjects.flagsToRepeat(of: session.record) == ["--exec 'get=…'"])
            for given in [[], [try ExternalCommand(parsing: "get=curl {url}")]] {
                #expect(throws: FetchBenchError.self) {
                    try TrialHost.Subjects(
                        resuming: session, url: nil, commands: given, programs: .fake, redaction: here.redaction)
                }
            }
            let again = try words.externalCommands(besides: [])
            let subjects = try TrialHost.Subjects(
                resuming: session, url: nil, commands: again, programs: .fake, redaction: here.redaction)
            #expect(subjects.commands["get"] == again[0])
        }
    }

    @Test func runsOfOlderBuildsCanStillBeRead() throws {
        let results = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "results").path
        let folders = try FileManager.default.contentsOfDirectory(atPath: results).map { results + "/" + $0 }
            .filter { FileManager.default.fileExists(atPath: $0 + "/run.json") }
        try #require(!folders.isEmpty)
        for folder in folders {
            let run = try RunStore.load(RunFolder(existing: folder))
            #expect(!run.kind.isPaired && !run.trials.isEmpty)
            for renderer in Formats.ofRuns where renderer.name != "slopes" {
                #expect(try !renderer.text(of: Report(run)).isEmpty)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Measuring
import Reports
import Runs
import Testing

struct RunFolderTests {
    @Test func aNameIsNeverUsedTwice() throws {
        try withTemporaryFolder { parent in
            let folders = try (1...3).map { _ in try RunFolder.create(named: "run", in: parent + "/results") }
            #expect(folders.map(\.name) == ["run", "run-2", "run-3"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent + "/results").count == 3)
        }
    }

    @Test func whenNoNumberIsLeftTheRunExists() throws {
        try withTemporaryFolder { parent in
            for attempt in 1...99 {
                _ = try RunFolder.create(named: "run", in: parent)
                #expect(FileManager.default.fileExists(atPath: parent + (attempt == 1 ? "/run" : "/run-\(attempt)")))
            }
            #expect(throws: FetchBenchError.self) {
                try RunFolder.create(named: "run", in: parent)
            }
        }
    }

    @Test func aParentThatIsAFileCannotBeWritten() throws {
        try withTemporaryFolder { parent in
            let file = parent + "/file"
            try Data().write(to: URL(fileURLWithPath: file))
            let error = try #require(throws: FetchBenchError.self) { try RunFolder.create(named: "run", in: file) }
            #expect(error.message.hasPrefix(file) && error.errno != nil)
        }
    }

    @Test func writingReplacesAFileWholeAndLeavesNothingElse() throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            try Data("half of an older one".utf8).write(to: URL(fileURLWithPath: path + "/report.md.tmp"))
            try folder.write("first, and longer", to: .report)
            try folder.write("second", to: .report)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["report.md"])
            #expect(try folder.data(of: .report) == Data("second".utf8))
        }
    }

    @Test func aFileThatIsNotThereCannotBeRead() throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            let error = #expect(throws: FetchBenchError.self) { try folder.data(of: .run) }
            let unread = FetchBenchError.cannotRead(name: "\(folder.name)/run.json", errno: ENOENT)
            #expect(error?.message == unread.message && error?.errno == ENOENT)
        }
    }
}

struct RunStoreTests {
    @Test func aRunIsReadAsItWasWritten() throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            var run = try SyntheticRun.complete()
            try RunStore.create(run, in: folder)
            #expect(try RunStore.load(folder) == run)
            #expect(try !String(decoding: folder.data(of: .run), as: UTF8.self).contains("\"trials\" : ["))
            let log = try folder.data(of: .log)
            run.finishedAt = nil
            try RunStore.write(run, to: folder)
            #expect(try RunStore.load(folder) == run)
            #expect(try folder.data(of: .log) == log, "an interrupted run differs in when it was finished alone")
        }
    }

    @Test func aRunWhoseLogIsCompressedIsTheSameRun() throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            let run = try SyntheticRun.complete()
            try RunStore.create(run, in: folder)
            let log = folder.path(of: .log)
            let gzip = try TestProcess.run("/usr/bin/env", ["gzip", log])
            #expect(gzip.status == 0, "\(gzip.complaint)")
            #expect(!FileManager.default.fileExists(atPath: log) && folder.has(.log))
            #expect(try RunStore.load(folder) == run)
            let packed = URL(fileURLWithPath: log + ".gz")
            try Data(contentsOf: packed).dropLast(9).write(to: packed)
            let failure = FetchBenchError.cannotRead(name: "\(folder.name)/trials.jsonl.gz", errno: EBADMSG)
            #expect(throws: failure) { try RunStore.load(folder) }
        }
    }

    @Test(arguments: [true, false])
    func oneDocumentHasTheHeadAndTheTrials(hasTrials: Bool) throws {
        var run = try SyntheticRun.complete()
        if !hasTrials { run.trials = [] }
        let document = Data(try RunStore.text(of: run).utf8)
        var read = try JSONDecoder().decode(RunRecord.self, from: document)
        read.trials = try JSONDecoder().decode(Trials.self, from: document).trials
        #expect(read == run)
        #expect(try RunStore.pieces(of: run).count == run.trials.count + 2)
    }

    private struct Trials: Decodable {
        let trials: [Trial]
    }

    @Test func storedTrialsArePassedOnUnchanged() throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            var run = try SyntheticRun.complete()
            run.trials[1].outcome.detail = String(repeating: "längst ", count: 400_000)
            try RunStore.create(run, in: folder)
            try AppendingFile(path: folder.path(of: .log), name: "log").append("{\"trial\":301,\"seed\":")
            var text = ""
            try RunStore.passOn(run, from: folder) { text += $0 }
            #expect(try text == RunStore.text(of: run))
            #expect(throws: CancellationError.self) {
                try RunStore.passOn(run, from: folder) { if $0.contains("seed") { throw CancellationError() } }
            }
        }
    }

    @Test func theSameRunIsTheSameText() throws {
        let run = try SyntheticRun.complete()
        #expect(try RunStore.text(of: run) == RunStore.text(of: run))
        #expect(try RunStore.text(of: run).hasSuffix("}\n"))
    }

    @Test func anInterruptedRunHasTheTrialsOfItsLog() throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            let run = SyntheticRun.record(.synthetic())
            try RunStore.create(run, in: folder)
            let trial = try SyntheticTrial().trial()
            try TrialLog(folder).append(trial)
            #expect(try RunStore.load(folder).trials == [trial])
        }
    }

    @Test func tablesAndReportAreThoseOfTheRun() throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            let run = try SyntheticRun.complete()
            try folder.write(Report(run), drawnBy: Formats.ofRuns)
            let rows = MiniCSV.records(of: String(decoding: try folder.data(of: .trials), as: UTF8.self))
            #expect(rows.map { $0["trial"] } == run.trials.map { String($0.number) })
            #expect(try folder.data(of: .summary) == Data(SummaryTable.text(of: Report(run)).utf8))
            #expect(try folder.data(of: .report) == Data(Formats.runMarkdown.text(of: Report(run)).utf8))
        }
    }

    @Test(arguments: ["", "no JSON", "{\"schema\": 3", "[]", "{}", "{\"schema\": \"one\"}"])
    func documentsWithoutASchemaAreNotRuns(text: String) throws {
        #expect(try StoredText(head: text, log: "").reason().hasPrefix("run.json: "))
    }

    @Test func nonsenseIsRefusedWithItsPlace() throws {
        let sound = try RunCoding.readableText(of: SyntheticRun.complete())
        let nonsense = sound.replacingOccurrences(
            of: "\"page_size_bytes\" : 4096", with: "\"page_size_bytes\" : \"4 KiB\"")
        #expect(nonsense != sound)
        #expect(try StoredText(head: nonsense, log: "").reason().contains("environment.page_size_bytes"))
    }

    @Test func aMissingKeyIsRefusedWithItsPlace() throws {
        #expect(try StoredText(head: "{\"schema\": 3}", log: "").reason().hasSuffix(" is missing"))
    }
}

struct StoredExplanationTests {
    @Test func aRunWithoutAnExplanationHasNothingToDraw() throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            let noRun = try #require(throws: FetchBenchError.self) { try RunStore.explanation(in: folder) }
            try RunStore.create(SyntheticRun.record(.synthetic()), in: folder)
            let unexplained = try #require(throws: FetchBenchError.self) { try RunStore.explanation(in: folder) }
            #expect(unexplained.kind == .noAnswer && noRun.kind == .failure)
        }
    }

    @Test(arguments: [
        ("\"version\":1", "\"version\":2"), ("\"obstacle\"", "\"reason\""), ("[{", "[]}"), ("[{", "[7,{"),
        ("{\"case\":\"a\",\"obstacle\":\"a static binary\"}", ""),
    ])
    func aDamagedExplanationIsRefusedWithItsFile(old: String, new: String) throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            try RunStore.create(SyntheticRun.record(.synthetic()), in: folder)
            let record = ExplanationRecord(entries: [.init(cell: "a", obstacle: "a static binary")])
            try RunStore.write(record, to: folder)
            #expect(try RunStore.explanation(in: folder) == record)
            let text = String(decoding: try folder.data(of: .explanation), as: UTF8.self)
            #expect(text.contains(old))
            try folder.write(text.replacingOccurrences(of: old, with: new), to: .explanation)
            let damaged = try malformedRun { _ = try RunStore.explanation(in: folder) }
            #expect(damaged.name == "\(folder.name)/explain.json")
        }
    }
}

struct TrialLogTests {
    private let run = SyntheticRun.record(.synthetic())

    private func withLog(_ body: (RunFolder, TrialLog) throws -> Void) throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            try TrialLog.create(in: folder)
            try body(folder, try TrialLog(folder))
        }
    }

    private func append(_ text: String, to file: RunFolder.File, of folder: RunFolder) throws {
        try AppendingFile(path: folder.path(of: file), name: file.rawValue).append(text)
    }

    @Test func trialsAreReadInTheOrderInWhichTheyEnded() throws {
        try withLog { folder, log in
            let trials = try [5, 2, 9].map { try SyntheticTrial(number: $0).trial() }
            for trial in trials { try log.append(trial, series: TrialSeries(samples: SyntheticTrial().samples)) }
            #expect(try TrialLog.trials(in: folder, of: run) == trials)
        }
    }

    @Test func aNewLogHasNoTrials() throws {
        try withLog { folder, _ in
            let trials = try TrialLog.trials(in: folder, of: run)
            #expect(trials.isEmpty)
            #expect(try folder.data(of: .samples) == Data(SamplesTable.header.utf8))
        }
    }

    @Test func aLastLineThatWasCutOffIsNoTrial() throws {
        try withLog { folder, log in
            let trial = try SyntheticTrial().trial()
            try log.append(trial)
            let line = String(decoding: try folder.data(of: .log), as: UTF8.self)
            try append(String(line.prefix(line.count / 2)), to: .log, of: folder)
            #expect(try TrialLog.trials(in: folder, of: run) == [trial])
        }
    }

    @Test(arguments: ["{\"trial\": 1}\n", "nonsense\n"])
    func aBrokenLineThatWasNotCutOffIsAnError(line: String) throws {
        try withLog { folder, log in
            try append(line, to: .log, of: folder)
            try log.append(try SyntheticTrial().trial())
            let (name, reason) = try malformedRun { _ = try TrialLog.trials(in: folder, of: run) }
            #expect(name == folder.name)
            #expect(reason.hasPrefix("line 1 of trials.jsonl "))
        }
    }

    @Test func onlyTheLastLineCanHaveBeenCutOff() throws {
        try withLog { folder, _ in
            try append("{\"trial\": 1\n{\"trial\": 2, \"ca", to: .log, of: folder)
            let reason = try malformedRun { _ = try TrialLog.trials(in: folder, of: run) }.reason
            #expect(reason.hasPrefix("line 1 of trials.jsonl "))
        }
    }

    @Test func mendingDropsTheLineThatWasCutOffAndTheSamplesOfTrialsThatDoNotCount() throws {
        try withLog { folder, log in
            let trial = try SyntheticTrial(number: 1).trial()
            try log.append(trial, series: TrialSeries(samples: SyntheticTrial().samples))
            let sound = (try folder.data(of: .log), try folder.data(of: .samples))
            try append("{\"trial\": 12, \"ca", to: .log, of: folder)
            try append("12,0,,900,800,100,\n12,1000,,900,800,100,\n1,99", to: .samples, of: folder)
            try TrialLog.mend(folder, keeping: try TrialLog.trials(in: folder, of: run))
            #expect(try folder.data(of: .log) == sound.0)
            #expect(try folder.data(of: .samples) == sound.1)
            #expect(sound.1.count > SamplesTable.header.utf8.count)
        }
    }
}

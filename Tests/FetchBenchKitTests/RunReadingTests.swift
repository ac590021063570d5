// SPDX-License-Identifier: Apache-2.0

import Foundation
import Runs
import Statistics
import Support
import Testing

/// Runs are read trial by trial; `JSONDecoder`, which reads a document whole, says what has to come of it.
struct RunReadingTests {
    /// The runs that are published with the project.
    private static let published: [String] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../results").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return names.sorted().map { root + "/" + $0 }.filter { RunFolder(existing: $0).has(.run) }
    }()

    @Test func thereArePublishedRuns() {
        #expect(!Self.published.isEmpty)
    }

    @Test(arguments: published)
    func aPublishedRunIsReadAsEver(path: String) throws {
        let folder = RunFolder(existing: path)
        let whole = try JSONDecoder().decode(RunRecord.self, from: folder.data(of: .run))
        #expect(whole.finishedAt != nil && !whole.trials.isEmpty)
        #expect(try RunStore.load(folder) == whole)
    }

    /// A short run as text, and what comes of it once it is changed.
    private func loaded(_ change: (inout String) -> Void) throws -> RunRecord {
        var text = try RunStore.text(of: SyntheticRun.complete())
        change(&text)
        return try loaded(Data(text.utf8))
    }

    private func loaded(_ data: Data) throws -> RunRecord {
        try withTemporaryFolder { path in
            try data.write(to: URL(fileURLWithPath: path + "/run.json"))
            return try RunStore.load(RunFolder(existing: path))
        }
    }

    private func reason(_ change: (inout String) -> Void) throws -> String {
        let error = try #require(throws: FetchBenchError.self) { try loaded(change) }
        guard case .malformedRun(_, let reason) = error else {
            Issue.record("\(error) is another error")
            return ""
        }
        return reason
    }

    @Test func aRunThatWasCutOffWithinATrialIsToldSo() throws {
        let reason = try reason { text in
            guard let place = text.range(of: "\"phases\"", options: .backwards) else { return }
            text = String(text[..<place.lowerBound])
        }
        #expect(reason.hasPrefix("run.json is damaged at byte ") && reason.hasSuffix(": it ends early"))
    }

    @Test func garbageBetweenTrialsIsToldWithItsPlace() throws {
        let reason = try reason { text in
            guard let place = text.range(of: "\n    },\n    {") else { return }
            text.replaceSubrange(place, with: "\n    }, garbage {")
        }
        #expect(reason.hasPrefix("run.json is damaged at byte ") && reason.hasSuffix(": a value was expected"))
    }

    @Test func trialsThatAreMissingAreMissed() throws {
        #expect(try reason { $0.replace("\"trials\" : [", with: "\"others\" : [") } == "trials is missing")
    }

    @Test func trialsThatAreNoListAreToldSo() throws {
        let reason = try reason { text in
            guard let place = text.range(of: "\"trials\" : [\n"), let end = text.range(of: "\n  ],\n  \"warnings\"")
            else {
                return
            }
            text.replaceSubrange(place.lowerBound..<end.upperBound, with: "\"trials\" : 7,\n  \"warnings\"")
        }
        #expect(reason.hasPrefix("trials "))
    }

    @Test func aTrialThatIsNoneIsToldWithItsPlace() throws {
        let reason = try reason { text in
            guard let place = text.range(of: "\"samples_degraded\" : false", options: .backwards) else { return }
            text.replaceSubrange(place, with: "\"samples_degraded\" : 12")
        }
        let count = try SyntheticRun.complete().trials.count
        #expect(reason.contains("trials[\(count - 1)].samples_degraded"))
    }

    @Test func aDocumentThatNamesNoSchemaIsToldSo() throws {
        #expect(try reason { $0.replace("\"schema\" : 1", with: "\"scheme\" : 1") } == "run.json names no schema")
        #expect(try reason { $0 = "{}" } == "run.json names no schema")
    }

    /// An unknown version may have other trials: that it is unknown is what there is to say.
    @Test func anUnknownSchemaIsRefusedWhateverItsTrialsAre() throws {
        #expect(throws: FetchBenchError.unsupportedSchema(found: 99, supported: RunRecord.currentSchema)) {
            try loaded { text in
                text.replace("\"schema\" : 1,", with: "\"schema\" : 99,")
                text.replace("\"outcome\"", with: "\"income\"")
            }
        }
    }

    @Test func deepNestingIsRefused() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(try reason { $0.replace("\"trials\" : [", with: "\"trials\" : [\(deep)") }.contains("levels deep"))
    }

    /// Runs with a few bytes changed: the same value as `JSONDecoder` makes of them, or both refuse them.
    @Test(arguments: 0..<4)
    func damagedRunsAreReadAsByFoundation(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let sound = Data(try RunStore.text(of: SyntheticRun.complete()).utf8)
        let alphabet = Array("{}[]\",:0123456789.eE-tfn\\ a".utf8)
        for _ in 0..<60 {
            var data = sound
            let place = Int.random(in: data.startIndex..<data.endIndex, using: &generator)
            if Bool.random(using: &generator) {
                data[place] = alphabet.randomElement(using: &generator) ?? 0
            } else {
                data.remove(at: place)
            }
            let whole = (try? JSONSerialization.jsonObject(with: data)).flatMap { _ in
                try? JSONDecoder().decode(RunRecord.self, from: data)
            }
            // What is not finished has the trials of its log, and here is none.
            guard whole?.finishedAt != nil || whole == nil else { continue }
            do {
                #expect(try loaded(data) == whole, "byte \(place)")
            } catch {
                #expect(whole == nil || Self.isImpossible(error), "byte \(place): \(error)")
            }
        }
    }

    /// Whether a run was refused for what it says, and not for how that is written.
    private static func isImpossible(_ error: any Error) -> Bool {
        guard case FetchBenchError.malformedRun(_, let reason) = error else { return false }
        return ["expected", "is missing, and"].contains { reason.contains($0) }
    }

    @Test func aLogIsReadLineByLine() throws {
        try withTemporaryFolder { path in
            let folder = RunFolder(existing: path)
            var run = SyntheticRun.record(.synthetic())
            try RunStore.create(run, in: folder)
            let log = try TrialLog(folder)
            // Longer than what is read at once.
            for number in 1...300 {
                var trial = try SyntheticTrial().trial()
                trial.number = number
                trial.outcome.detail = String(repeating: "x", count: number == 7 ? 3 << 20 : 5000)
                try log.append(trial, series: [])
                run.trials.append(trial)
            }
            let torn = try AppendingFile(path: folder.path(of: .log), name: "log")
            try torn.append("{\"trial\":301,\"seed\":")
            #expect(try RunStore.load(folder) == run)
            try torn.append("\n")
            let error = try #require(throws: FetchBenchError.self) { try RunStore.load(folder) }
            guard case .malformedRun(folder.name, let reason) = error else {
                Issue.record("\(error) is another error")
                return
            }
            #expect(reason.hasPrefix("line 301 of trials.jsonl ") && reason.contains("ends early"))
        }
    }
}

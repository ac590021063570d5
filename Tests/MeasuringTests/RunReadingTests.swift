// SPDX-License-Identifier: Apache-2.0

import Foundation
import Runs
import Testing

/// Runs are read trial by trial, and equal parts of trials are shared.
struct RunReadingTests {
    private static let published: [String] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../results").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return names.sorted().map { root + "/" + $0 }.filter { RunFolder(existing: $0).has(.run) }
    }()

    @Test func thereArePublishedRuns() { #expect(!Self.published.isEmpty) }

    @Test(arguments: published)
    func aPublishedRunIsReadAsItIsAndWouldBeWrittenSo(path: String) throws {
        let folder = RunFolder(existing: path)
        let head = try folder.data(of: .run)
        let log = try Self.unpacked(folder.path(of: .log) + ".gz")
        let run = try RunStore.load(folder)
        #expect(run.finishedAt != nil && !run.trials.isEmpty)
        #expect(run == Self.byFoundation(head: head, log: log))
        let text = try StoredText(run)
        #expect(Data(text.head.utf8) == head && Data(text.log.utf8) == log)
    }

    /// The content of a compressed file, by the tool that compresses.
    private static func unpacked(_ path: String) throws -> Data {
        let gzip = try TestProcess.run("/usr/bin/env", ["gzip", "-dc", path])
        try #require(gzip.status == 0, "\(gzip.complaint)")
        return Data(gzip.output)
    }

    /// Returns the document as Foundation decodes it, or `nil` if it refuses any of it.
    private static func byFoundation(head: Data, log: Data) -> RunRecord? {
        guard var run = value(RunRecord.self, head), run.schema == RunRecord.currentSchema else { return nil }
        let lines = log.split(separator: UInt8(ascii: "\n"))
        run.trials = lines.compactMap { value(Trial.self, $0) }
        return run.trials.count == lines.count ? run : nil
    }

    private static func value<Value: Decodable>(_ type: Value.Type, _ data: Data) -> Value? {
        try? JSONDecoder().decode(type, from: data)
    }

    private func stored(_ change: (inout StoredText) -> Void) throws -> StoredText {
        var text = try StoredText(SyntheticRun.complete())
        change(&text)
        return text
    }

    @Test func garbageInTheHeadIsToldWithItsPlace() throws {
        let text = try stored { $0.head.replace("\"reproduce\" : \"", with: "garbage \"reproduce\" : \"") }
        let start = try #require(text.head.firstRange(of: "garbage")?.lowerBound)
        let place = text.head.utf8.distance(from: text.head.startIndex, to: start)
        #expect(try text.reason() == "run.json: invalid JSON: a key was expected at byte \(place)")
        let cutOff = try stored { $0.head = String($0.head.prefix($0.head.count / 2)) }
        #expect(try cutOff.reason() == "run.json: invalid JSON: it ends early")
    }

    @Test func aTrialThatIsNoneIsToldWithItsLine() throws {
        let text = try stored { text in
            guard let place = text.log.range(of: "\"samples_degraded\":false", options: .backwards) else { return }
            text.log.replaceSubrange(place, with: "\"samples_degraded\":12")
        }
        let count = try SyntheticRun.complete().trials.count
        #expect(try text.reason().hasPrefix("line \(count) of trials.jsonl is invalid: samples_degraded "))
    }

    /// Of a finished run every line was written whole.
    @Test func aFinishedRunWhoseLogWasCutOffIsRefused() throws {
        let text = try stored { $0.log = String($0.log.dropLast(100)) }
        let reason = try text.reason()
        let count = try SyntheticRun.complete().trials.count
        #expect(reason == "line \(count) of trials.jsonl is invalid: it ends early")
        let interrupted = try stored {
            $0 = text
            $0.head.replace(/\n *"finished_at" : "[^"]*",/, with: "")
        }
        #expect(try interrupted.loaded().trials.count == count - 1)
    }

    /// Another version may have another head and other trials: that it is another one is what there is to say.
    @Test(arguments: [1, 2, 99])
    func anotherSchemaIsRefusedWhateverItHolds(schema: Int) throws {
        let text = try stored { text in
            text.head = "{\"schema\": \(schema), \"trials\": []}"
            text.log.replace("\"outcome\"", with: "\"income\"")
        }
        #expect(throws: FetchBenchError.self) { try text.loaded() }
    }

    @Test func deepNestingIsRefused() throws {
        let deep = String(repeating: "[", count: 100_000)
        let head = try stored { $0.head.replace("\"warnings\" : [", with: "\"warnings\" : [\(deep)") }
        #expect(try head.reason().contains("levels deep"))
        let log = try stored { $0.log.replace("\"doubts\":[", with: "\"doubts\":[\(deep)") }
        #expect(try log.reason().contains("levels deep"))
    }

    /// Runs with a few bytes changed: the same value as `JSONDecoder` makes of whole files, or both refuse them.
    @Test(arguments: 0..<4, [true, false])
    func damagedRunsAreReadAsByFoundation(seed: Int, isHead: Bool) throws {
        let file = isHead ? \StoredText.head : \.log
        var generator = SeededGenerator(seed: UInt64(seed))
        let sound = try StoredText(SyntheticRun.complete())
        let alphabet = Array("{}[]\",:0123456789.eE-tfn\\ a".utf8)
        for _ in 0..<10 {
            var data = Array(sound[keyPath: file].utf8)
            let place = Int.random(in: data.indices, using: &generator)
            if Bool.random(using: &generator) {
                data[place] = alphabet.randomElement(using: &generator) ?? 0
            } else {
                data.remove(at: place)
            }
            var text = sound
            text[keyPath: file] = try #require(String(validating: data, as: UTF8.self))
            let whole = Self.byFoundation(head: Data(text.head.utf8), log: Data(text.log.utf8))
            do {
                #expect(try text.loaded() == whole, "byte \(place)")
            } catch {
                #expect(whole == nil || Self.isImpossible(error), "byte \(place): \(error)")
            }
        }
    }

    /// Whether a run was refused for what it says, and not for how that is written.
    private static func isImpossible(_ error: any Error) -> Bool {
        return ["expected", "is missing, and"].contains { "\(error)".contains($0) }
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
                try log.append(trial)
                run.trials.append(trial)
            }
            let torn = try AppendingFile(path: folder.path(of: .log), name: "log")
            try torn.append("{\"trial\":301,\"seed\":")
            #expect(try RunStore.load(folder) == run)
            try torn.append("\n")
            let reason = try malformedRun { _ = try RunStore.load(folder) }.reason
            #expect(reason.hasPrefix("line 301 of trials.jsonl ") && reason.contains("ends early"))
        }
    }
}

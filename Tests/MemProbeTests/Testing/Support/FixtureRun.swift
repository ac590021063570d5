// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

struct FixtureRun {
    private static let variable = "MEMPROBE_TESTING_FIXTURE"

    static var isFixture: Bool { ProcessInfo.processInfo.environment[variable] != nil }

    /// The issues by the test's name; a case's stand under its test.
    private(set) var issues: [String: [String]] = [:]
    let output: String

    /// Starts this program again, as a run that writes an event stream of its own.
    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fixture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let events = folder.appending(path: "events.jsonl")
        let arguments = [
            "--testing-library", "swift-testing", "--filter", "MemProbeTests.RedFixture",
            "--event-stream-output-path", events.path, "--event-stream-version", "0", "--parallel",
        ]
        let environment = ProcessInfo.processInfo.environment.merging([
            // A crash of a large program takes seconds to be told in full.
            Self.variable: "1", "SWIFT_BACKTRACE": "enable=no",
        ]) { $1 }
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let ended = try TestProcess.run(program, arguments, environment: environment, within: 900)
        output = ended.text + ended.complaint
        for line in try String(contentsOf: events, encoding: .utf8).split(separator: "\n") {
            try read(line)
        }
    }

    private mutating func read(_ line: Substring) throws {
        let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard let payload = record?["payload"] as? [String: Any], payload["kind"] as? String == "issueRecorded",
            let test = payload["testID"] as? String, let messages = payload["messages"] as? [[String: Any]],
            (payload["issue"] as? [String: Any])?["isKnown"] as? Bool == false
        else { return }
        let name = test.split(separator: "/").dropFirst().dropLast().joined(separator: "/")
        issues[name, default: []].append(messages.compactMap { $0["text"] as? String }.joined(separator: "\n"))
    }
}

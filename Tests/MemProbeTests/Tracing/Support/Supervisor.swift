// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import TestSupport
import Testing

/// A process of its own that traces a command, as `fetchbench` does it: a test process has other children.
struct Supervisor: Encodable {
    var executable: String
    var arguments: [String]
    var environment = ["PATH=/usr/bin:/bin", "TRACE_TOKEN=\(UUID().uuidString)"]
    var folder = "/"
    var method = "automatic"
    var timeoutNanoseconds: Int?
    /// What all processes of the command may hold together.
    var residentLimitMebibytes: Int?
    /// What the supervisor itself holds.
    var ballastMebibytes = 0
    var times = 1
    /// The words in front of the fixture's own: in which surroundings it traces.
    var surroundings: [String] = []

    private enum CodingKeys: CodingKey {
        case executable, arguments, environment, folder, method, timeoutNanoseconds, residentLimitMebibytes
        case ballastMebibytes, times
    }

    init(_ command: [String]) {
        executable = command.first ?? ""
        arguments = command
    }

    /// A command that the fixture does.
    init(fixture words: String...) {
        self.init([Self.fixture] + words)
    }

    /// The built fixture lies beside the built tests.
    static var fixture: String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: own ?? "").deletingLastPathComponent().appendingPathComponent("trace-fixture").path
    }

    /// The words that make the fixture trace this command.
    func words() throws -> [String] {
        surroundings + ["supervise", String(decoding: try JSONEncoder().encode(self), as: UTF8.self)]
    }

    /// Begins to trace the command.
    func start() throws -> TestProcess {
        try TestProcess(Self.fixture, try words(), environment: [:])
    }

    /// Traces the command.
    func run() throws -> Outcome {
        let end = try start().end(within: 300)
        return Outcome(
            output: end.text, answer: try JSONDecoder().decode(Answer.self, from: Data(end.complaint.utf8)))
    }

    /// Traces the command, which is expected to have been started.
    func trace() throws -> CommandTrace {
        let outcome = try run()
        return try #require(outcome.answer.trace, "\(outcome.answer)")
    }
}

/// What the supervisor says.
struct Answer: Decodable {
    var trace: CommandTrace?
    var errorCode: String?
    var errorSource: String?
    var errorNumber: Int32?
    var descriptorsLeft: Int
    var threadsLeft: Int
    var childrenLeft: Int
    var isRestored: Bool
    var wallNanoseconds: [Int]

    /// Whether the runs left the supervisor as it was.
    var isClean: Bool {
        descriptorsLeft == 0 && threadsLeft == 0 && childrenLeft == 0 && isRestored
    }
}

/// What the command printed and what the supervisor says.
struct Outcome {
    var output: String
    var answer: Answer

    /// The values behind a name, line by line.
    func values(_ name: String) -> [String] {
        output.split(separator: "\n").filter { $0.hasPrefix("\(name) ") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// The marks that the command's processes said of themselves.
    var ownPeaks: [ByteCount] {
        values("peak").compactMap { Int($0) }.map { ByteCount(procKilobytes: $0) }
    }
}

/// Whether two sizes differ by no more than a tolerance.
func isClose(_ one: ByteCount, _ other: ByteCount, within tolerance: ByteCount) -> Bool {
    max(one - other, other - one) <= tolerance
}

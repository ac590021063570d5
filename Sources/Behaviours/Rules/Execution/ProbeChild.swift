// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import OperatingSystem

/// A probe or a compiler as a child process, whose lines are answered while it runs.
struct ProbeChild: Sendable {
    struct End: Sendable {
        var ending: Ending
        var complaint: String
        /// How long it lived, in nanoseconds.
        var duration: Int
    }

    var executable: String
    var arguments: [String]
    var environment: [String: String]
    var directory: String
    var limit: Duration

    /// Runs the child to its end; `onLine` gets each line and the child's number, and says whether to answer it.
    func run(onLine: @escaping @Sendable (String, Int32) async throws -> Bool) async throws -> End {
        let child = ChildProcess(
            executable: executable, arguments: arguments, environment: environment, directory: directory, limit: limit)
        let end = try await child.conversation(onLine: onLine)
        if case .notStarted = end.ending { return End(ending: end.ending, complaint: "", duration: 0) }
        return End(ending: end.ending, complaint: Self.complaint(of: end), duration: end.nanoseconds)
    }

    /// Why it ended; the compiler's own errors come before its notes.
    private static func complaint(of end: ChildProcess.End) -> String {
        let error = end.complaints.text.split(separator: "\n").lazy.compactMap { line in
            line.range(of: ": error: ").map { String(line[$0.upperBound...].prefix(complaintLimit)) }
        }.first
        return error ?? end.lastWords(limit: complaintLimit)
    }

    private static let complaintLimit = 200
}

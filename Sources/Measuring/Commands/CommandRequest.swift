// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Runs
package import TrialKit

/// The tracer's document about a command, one line of its standard input.
package struct CommandRequest: Codable, Hashable, Sendable {
    /// The words of the command with placeholders filled in.
    package var command: [String]
    /// The working folder, in which it may make files; the harness removes it.
    package var directory: String
    /// True if it has to make ``file``.
    package var makesFile: Bool
    package var verification: Verification
    /// The time limit: slightly less than the trial's, so that peaks can still be read.
    package var timeoutSeconds: Double
    /// The memory limit of the command and its descendants together; `nil` for none.
    package var memoryLimit: ByteCount?
    /// The time that what the command started may run after it, in seconds; `nil` for the standard.
    package var childrenSeconds: Double?
    /// How processes are read; `nil` for the default.
    package var method: CommandSettings.Method?
    /// The beginning of the answer, unknown to a command that writes to the tracer's output.
    package var mark: String = ""
    /// The whole environment of the command, which differs from the tracer's.
    package var environment: [String: String] = [:]
    /// The path of its standard input; `nil` for none.
    package var standardInput: String?

    /// Returns an answer of the tracer as its line: the mark, the word for more or last, the report.
    package func answer(_ report: String, isLast: Bool) -> String {
        "\(mark) \(isLast ? Self.last : Self.more) \(report)"
    }

    /// Parses a line into its report, and whether the tracer ends; `nil` if the mark differs.
    static func report(in line: [UInt8], markedBy mark: String) -> (report: [UInt8], isLast: Bool)? {
        for (word, isLast) in [(more, false), (last, true)] {
            let head = Array("\(mark) \(word) ".utf8)
            if line.starts(with: head) { return (Array(line[head.count...]), isLast) }
        }
        return nil
    }

    private static let more = "more"
    private static let last = "last"

    /// The file that stands for `{file}` in the command.
    package var file: String { Self.file(in: directory) }

    package static func file(in directory: String) -> String { directory + "/fetched.body" }
}

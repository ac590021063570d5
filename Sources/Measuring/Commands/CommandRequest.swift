// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import TrialKit

/// The document that tells the tracer which command to run; each arrives on standard input as a line.
package struct CommandRequest: Codable, Hashable, Sendable {
    /// The words of the command, filled in.
    package var command: [String]
    /// The folder in which it works and may make files; the harness removes it.
    package var directory: String
    /// Whether it has to make ``file``.
    package var makesFile: Bool
    /// How the file is verified.
    package var verification: Verification
    /// After how many seconds it is killed: a little before the trial is, so that its peaks are still read.
    package var timeoutSeconds: Double
    /// What the command and all that it starts may hold together before it is killed, or `nil` for anything.
    package var memoryLimit: ByteCount?
    /// What the answer has to begin with: a command that writes to the tracer's output does not know it.
    package var mark: String = ""
    /// The whole environment of the command; what traces it has another.
    package var environment: [String: String] = [:]
    /// The path of the file that the command gets as its standard input, or `nil` for none.
    package var standardInput: String?

    /// Creates the document.
    package init(
        command: [String], directory: String, makesFile: Bool, verification: Verification, timeoutSeconds: Double,
        memoryLimit: ByteCount?
    ) {
        self.command = command
        self.directory = directory
        self.makesFile = makesFile
        self.verification = verification
        self.timeoutSeconds = timeoutSeconds
        self.memoryLimit = memoryLimit
    }

    /// An answer of the tracer as its line: the mark, whether it goes on, the report.
    package func answer(_ report: String, isLast: Bool) -> String {
        "\(mark) \(isLast ? Self.last : Self.more) \(report)"
    }

    /// What a line answers: the report, and whether the tracer goes on; `nil` where the mark is another one.
    static func report(in line: [UInt8], markedBy mark: String) -> (report: [UInt8], isLast: Bool)? {
        for (word, isLast) in [(more, false), (last, true)] {
            let head = Array("\(mark) \(word) ".utf8)
            if line.starts(with: head) { return (Array(line[head.count...]), isLast) }
        }
        return nil
    }

    private static let more = "more"
    private static let last = "last"

    /// The file that stands for `{file}` in a command.
    package var file: String { Self.file(in: directory) }

    /// The file that stands for `{file}` in a command that works in a folder.
    package static func file(in directory: String) -> String { directory + "/fetched.body" }
}

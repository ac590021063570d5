// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import OperatingSystem
import Runs
import Texts
import TrialKit

/// Asks a program for its description.
struct ProgramQuery: Sendable {
    /// The maximum size of a description; real ones have a few kilobytes.
    private static let outputLimit = 1 << 20

    let path: String
    let variables: TrialVariables
    var allocator = AllocatorArm.glibc
    /// The time limit: real programs take milliseconds, but a busy or suspended machine can add seconds.
    var timeout = Duration.seconds(30)

    /// Returns the description.
    /// - Throws: ``FetchBenchError/trialProgram(path:reason:)`` if the program cannot be started, exceeds the time
    ///   limit, or answers with something else or another protocol.
    func answer() async throws(FetchBenchError) -> ProgramDescription {
        try checkFile()
        let ended: ProcessEnd
        do {
            ended = try await ChildLaunch(
                executable: path, name: TrialExecutable.processName, arguments: ["--describe"],
                environment: variables.environment(for: allocator, directory: "/tmp"), limit: timeout,
                outputLimit: Self.outputLimit
            ).run()
        } catch {
            throw refusal("it could not be queried: \(error)")
        }
        do throws(Obstacle) {
            try check(ended.ending, complaint: ended.lastWords())
            return try ProgramDescription(checking: ended.output)
        } catch {
            throw refusal(error.reason)
        }
    }

    /// Refuses what is not a file that can be executed.
    func checkFile() throws(FetchBenchError) {
        var information = stat()
        guard stat(path, &information) == 0 else { throw refusal("it does not exist") }
        switch information.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw refusal("it is a folder")
        case S_IFIFO: throw refusal("it is a named pipe")
        default: throw refusal("it is a socket or a device")
        }
        guard access(path, X_OK) == 0 else { throw refusal("it cannot be executed") }
        guard let interpreter = Self.interpreter(of: path), access(interpreter, F_OK) != 0 else { return }
        throw refusal("its interpreter \(interpreter) does not exist")
    }

    /// Returns the interpreter in the first line of a script; `nil` for other files.
    private static func interpreter(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // The kernel reads no more.
        var head = [UInt8](repeating: 0, count: 256)
        let count = read(file, &head, head.count)
        return count > 0 ? ProgramLinkage.interpreter(ofScript: Array(head[..<count])) : nil
    }

    /// Refuses any end but status 0.
    private func check(_ ending: Ending, complaint: String) throws(Obstacle) {
        let words = complaint.isEmpty ? "" : ": \(complaint)"
        switch ending {
        case .exited(0): return
        case .killedAtLimit: throw Obstacle("it did not describe itself within \(timeout)")
        case .notStarted(let reason):
            // The file itself exists.
            throw Obstacle(
                "it could not be started: \(reason) (wrong architecture, or a missing loader?)"
            )
        case .wroteTooMuch(let limit): throw Obstacle("its description has more than \(limit) bytes")
        case .exited(let status):
            throw Obstacle(
                "it is not a trial program: --describe exits with status \(status)\(words)")
        case .signalled(let signal):
            throw Obstacle(
                "--describe crashed: signal \(signal) "
                    + "(\(SignalName.text(of: Int32(signal))))\(words)")
        case .killedOverMemory: throw Obstacle("it was killed because of its memory")
        }
    }

    private func refusal(_ reason: String) -> FetchBenchError {
        .trialProgram(path: path, reason: reason)
    }
}

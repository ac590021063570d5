// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import MemProbe
import Subprocess
import Synchronization
import SystemPackage

/// A child process with a clean environment and a time limit, whose lines are answered while it runs.
struct ChildProcess: Sendable {
    /// How a child ended.
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
    /// Where standard error goes: outside of the folder whose files are evidence.
    var complaints: String
    var limit: Duration

    /// Runs the child to its end; `onLine` gets each line and the child's number, and says whether to answer it.
    func run(onLine: @escaping @Sendable (String, Int32) async throws -> Bool) async throws -> End {
        let complaintFile = try FileDescriptor.open(
            FilePath(complaints), .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: .ownerReadWrite)
        let begin = MonotonicClock.now()
        do {
            let (status, timedOut) = try await spawn(complaintFile, onLine)
            let ending: Ending =
                switch status {
                case _ where timedOut: .killedAtLimit
                case .exited(let code): .exited(Int(code))
                case .signaled(let signal): .signalled(Int(signal))
                }
            return End(ending: ending, complaint: complaint, duration: MonotonicClock.now() - begin)
        } catch let error as SubprocessError where !Task.isCancelled {
            let reason = error.underlyingError?.description ?? "\(error.code)"
            return End(ending: .notStarted("the child did not start: \(reason)"), complaint: "", duration: 0)
        }
    }

    private func spawn(
        _ complaintFile: FileDescriptor, _ onLine: @escaping @Sendable (String, Int32) async throws -> Bool
    ) async throws -> (TerminationStatus, timedOut: Bool) {
        let watch = Mutex<TimeLimit?>(nil)
        // Whatever is thrown: the number of the process may belong to another one soon.
        defer { _ = watch.withLock { $0 }?.end() }
        let result = try await Subprocess.run(
            .path(FilePath(executable)), arguments: Arguments(arguments), environment: .sorted(environment),
            workingDirectory: FilePath(directory), platformOptions: Self.ownGroup, input: .inputWriter,
            output: .sequence, error: .fileDescriptor(complaintFile, closeAfterSpawningProcess: true)
        ) { execution in
            let timeLimit = TimeLimit(limit) { try? execution.send(signal: .kill, toProcessGroup: true) }
            watch.withLock { $0 = timeLimit }
            for try await line in execution.standardOutput.strings() {
                // While the harness reads and hashes, the child waits: a slow machine must not look like a deadlock.
                timeLimit.pause()
                defer { timeLimit.resume() }
                guard try await onLine(line, execution.processIdentifier.value) else { continue }
                // A child that was killed meanwhile reads no answer.
                _ = try? await execution.standardInputWriter.write([UInt8(ascii: "\n")])
            }
        }
        return (result.terminationStatus, watch.withLock { $0 }?.end() ?? false)
    }

    /// Why it ended; the compiler's own errors come before its notes.
    private var complaint: String {
        guard let text = try? String(contentsOfFile: complaints, encoding: .utf8) else { return "" }
        let error = text.split(separator: "\n").lazy.compactMap { line in
            line.range(of: ": error: ").map { String(line[$0.upperBound...].prefix(Self.complaintLimit)) }
        }.first
        return error ?? LastWords.reason(in: text, limit: Self.complaintLimit)
    }

    private static let complaintLimit = 200

    /// A group of its own, so that Ctrl-C reaches the harness alone, which then kills the group.
    private static var ownGroup: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
        return options
    }
}

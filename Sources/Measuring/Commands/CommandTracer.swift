// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Runs
import Synchronization

/// The tracer's document about a command, one line of its standard input.
package struct CommandRequest: Codable, Hashable, Sendable {
    package var command: [String]
    package var directory: String
    /// The path of `{file}`, in the trial's own folder; empty without one.
    package var file = ""
    package var makesFile: Bool
    package var verification: Verification
    /// The time limit: slightly less than the trial's, so that peaks can still be read.
    package var timeoutSeconds: Double
    package var memoryLimit: ByteCount?
    /// The time that what the command started may run after it, in seconds; `nil` for the standard.
    package var childrenSeconds: Double?
    package var method: CommandSettings.Method?
    /// The beginning of the answer, unknown to a command that writes to the tracer's output.
    package var mark: String = ""
    package var environment: [String: String] = [:]
    package var standardInput: String?
    package var controlGroup: ControlGroup?
    /// The requests to be made of the command; `nil` unless it is a server.
    package var server: ServerOrder?

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
}

/// The process that traces the commands of a run, one after another, because many take less time than its start.
final class CommandTracer: Sendable {
    /// The additional time of a tracer, which reads the peaks of what it kills.
    private static let margin = Duration.seconds(15)
    /// The maximum size of an answer in bytes: a build has thousands of processes of a few hundred bytes each.
    private static let longestAnswer = 256 << 20
    /// The size of answers above which the process is replaced: what it traces starts as its copy.
    private static let mostOfResident = 1 << 20

    /// It enforces the time limit of a command; its own applies if it fails to.
    private let launch: ChildLaunch
    private let child = Mutex<ResidentChild?>(nil)

    /// - Parameters:
    ///   - harness: the path of this executable, whose command `trace` it runs.
    ///   - environment: that of the tracer; each request has that of its command.
    init(_ harness: String, environment: [String: String], directory: String, timeoutSeconds: Double) {
        launch = ChildLaunch(
            executable: harness, name: TrialExecutable.processName, arguments: ["trace"], environment: environment,
            directory: directory, limit: .seconds(timeoutSeconds) + Self.margin)
    }

    /// Traces a command, starting the process if there is none or it has ended.
    ///
    /// All that belongs to the command has to be in its request, since the process stays.
    /// - Returns: the end of this piece of work, as if it had been a process of its own.
    /// - Throws: `CancellationError` if the harness was stopped.
    func end(of request: CommandRequest) async throws -> ProcessEnd {
        var request = request
        request.mark = String(UInt64.random(in: .min ... .max), radix: 36)
        let worker = child.withLock { child in
            if let child, !child.hasEnded { return child }
            let new = ResidentChild(launch, answerLimit: Self.longestAnswer)
            child = new
            return new
        }
        var end = try await worker.work(try RunCoding.compactText(of: request))
        let answer = CommandRequest.report(in: end.output, markedBy: request.mark)
        // Foreign output would be taken for the next answer, and a command's remains end with their tracer.
        if answer?.isLast ?? true || end.output.count > Self.mostOfResident { child.withLock { $0 = nil } }
        if let answer { end.output = answer.report }
        return end
    }
}

/// The standard input of plain commands: a file that each run reads from its beginning.
///
/// `/dev/stdin` and `/dev/fd/N` mean another file in every process, so they are resolved in this one, once. A pipe can be
/// read only once, so what it gives is copied to a file.
package enum CommandInput {
    private static let name = "--input"

    /// Returns the path by which the process of a trial opens an input.
    ///
    /// Waits until the writers of a pipe close it, or the task is cancelled.
    static func path(for path: String, copyingTo copy: String) throws -> String {
        let file = try descriptor(of: path)
        defer { close(file) }
        guard isOfOneProcess(path) else { return path }
        if let real = SystemText.target(ofLink: "/proc/self/fd/\(file)"), isSame(real, file) { return real }
        try write(file, to: copy)
        return copy
    }

    /// Returns the reason that a path cannot be an input; opens it and reads nothing.
    package static func obstacle(at path: String) -> String? {
        do {
            close(try descriptor(of: path))
            return nil
        } catch {
            switch (error as? FetchBenchError)?.errno ?? EIO {
            case ESPIPE:
                return
                    "a named pipe can be read only once; use `--input /dev/stdin <pipe` to give its contents to every run"
            case ENXIO, EISDIR: return "not a regular file; expected a file, /dev/stdin or /dev/null"
            case let number: return String(cString: strerror(number))
            }
        }
    }

    /// Opens a regular file, a pipe without a name, or `/dev/null`.
    /// - Throws: An error as ``StoredFile`` does, with `ESPIPE` for a named pipe.
    static func descriptor(of path: String) throws -> Int32 {
        try StoredFile.open(path, name: name, allowing: isOfOneProcess(path) ? [.pipe, .null] : [.null])
    }

    private static func isOfOneProcess(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        let isOwn = parts.contains("fd") || parts.contains("self") || parts.contains("thread-self")
        return parts.starts(with: ["dev", "fd"]) || parts == ["dev", "stdin"] || (parts.first == "proc" && isOwn)
    }

    private static func isSame(_ path: String, _ file: Int32) -> Bool {
        var (named, held) = (stat(), stat())
        return SystemText.withCString(path) { stat($0, &named) } == 0 && fstat(file, &held) == 0
            && named.st_dev == held.st_dev && named.st_ino == held.st_ino
    }

    private static func write(_ file: Int32, to copy: String) throws {
        let written = try AppendingFile(path: copy, name: "the copy of --input", isNew: true)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            try Task.checkCancellation()
            var waited = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&waited, 1, 100) != 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { SystemCall.readSome($0, from: file) }
            if count == 0 { return }
            guard count > 0 else { throw FetchBenchError.cannotRead(name: name, errno: errno) }
            try written.append(Array(buffer[..<count]))
        }
    }
}

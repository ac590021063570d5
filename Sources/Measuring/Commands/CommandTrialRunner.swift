// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Runs

/// Runs the measured side of a command's trial: spawns it, traces it to its end, verifies its file.
///
/// The whole command is the phase `fetch`. Its growth counts from nothing until the harness knows what the same command
/// needs for a body of 1 KiB (``Mark/init(peakOf:)``). Of a server, the phase is the time of the requests.
package struct CommandTrialRunner: Sendable {
    static let timeoutCode = "timed_out"
    /// The code for a command over its memory limit; a renderer's limit has another.
    static let memoryLimitCode = "memory_limit"
    static let statusCode = "command_status"
    static let signalCode = "command_signal"

    private let request: CommandRequest
    /// The same for every command that this process traces.
    private static let exactness = ExactnessProbe.run().description

    package init?(_ request: CommandRequest) {
        guard !request.command.isEmpty else { return nil }
        self.request = request
    }

    /// Runs the trial.
    /// - Throws: ``MemProbeError`` if this process itself cannot be read; other errors are in the report.
    package func run() throws(MemProbeError) -> TrialReport {
        var report = TrialReport(
            version: TrialRequest.understoodProtocols.lowerBound, allocator: AllocatorIdentity(name: "unknown"),
            exactness: Self.exactness,
            hugePagesDisabled: TransparentHugePages.disableForThisProcess())
        let trace: CommandTrace
        let control = request.server.map { _ in TraceControl() }
        let course = request.server.flatMap { server in
            control.map { ServerCourse(server, $0, timeoutSeconds: request.timeoutSeconds) }
        }
        do {
            if let course { try Self.begin(course) }
            trace = try traced(by: control)
        } catch {
            report.failure = failure("command_not_started", notStarted(error))
            return report
        }
        if let findings = course?.findings(), let server = request.server {
            findings.describe(in: &report, of: server, trace)
            report.failure = failure(of: trace, findings)
            return report
        }
        describe(trace, in: &report)
        report.failure = failure(of: trace)
        if report.failure == nil { verify(into: &report) }
        return report
    }

    private static func begin(_ course: ServerCourse) throws(MemProbeError) {
        do throws(FetchFailure) {
            try DetachedThread.run { course.run() }
        } catch {
            throw MemProbeError(.unavailable, source: error.detail)
        }
    }

    private func traced(by control: TraceControl?) throws(MemProbeError) -> CommandTrace {
        let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nowhere >= 0 else { throw MemProbeError(.unreadable, source: "/dev/null", errno: errno) }
        defer { close(nowhere) }
        let input = try request.standardInput.map(Self.opened) ?? nowhere
        defer { if input != nowhere { close(input) } }
        let environment = request.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let executable = try ExecutableSearch.path(
            of: request.command[0], environment: environment, in: request.directory)
        var traced = TracedCommand(
            executable: executable, arguments: request.command, environment: environment,
            workingDirectory: request.directory, standardInput: input, standardOutput: nowhere,
            standardError: STDERR_FILENO)
        (traced.controlGroup, traced.control) = (request.controlGroup, control)
        let grace = request.childrenSeconds.map { Int($0 * 1e9) } ?? TraceLimits.standardGrace
        return try traced.run(
            timeoutNanoseconds: Int(request.timeoutSeconds * 1e9), residentLimit: request.memoryLimit,
            graceNanoseconds: grace, method: request.method == .polled ? .polled : .automatic)
    }

    /// A preparation may have put another kind of file there.
    private static func opened(_ path: String) throws(MemProbeError) -> Int32 {
        do {
            return try CommandInput.descriptor(of: path)
        } catch {
            throw MemProbeError(.unreadable, source: path, errno: (error as? FetchBenchError)?.errno)
        }
    }

    private func describe(_ trace: CommandTrace, in report: inout TrialReport) {
        report.command = trace
        let usesJemalloc = trace.processes.contains { $0.mapsJemalloc }
        report.allocator = AllocatorIdentity(name: usesJemalloc ? "jemalloc" : "unknown")
        let nothing = Snapshot(
            timeNanoseconds: trace.startNanoseconds, resident: .zero, anonymous: .zero,
            programPages: trace.programPages.map { _ in .zero }, threads: 0, cpuNanoseconds: 0)
        report.baseline = Mark(memory: nothing, allocator: nil)
        report.phases = [
            PhaseReading(
                phase: .fetch, startNanoseconds: trace.startNanoseconds, endNanoseconds: trace.endNanoseconds,
                cpuNanoseconds: trace.cpuNanoseconds, startShared: .zero, peak: trace.peak,
                end: Mark(
                    memory: Snapshot(
                        timeNanoseconds: trace.endNanoseconds, resident: .zero, anonymous: .zero, threads: 0,
                        cpuNanoseconds: trace.cpuNanoseconds), allocator: nil))
        ]
    }

    private func failure(of trace: CommandTrace) -> TrialReport.Failure? {
        if trace.timedOut {
            let held = ByteText.mebibytes(trace.peak.resident)
            return failure(
                Self.timeoutCode,
                "the command did not end within \(CSV.text(request.timeoutSeconds)) s and was killed; its peak was \(held); "
                    + "if it needs more time, raise --timeout")
        }
        if let reached = trace.overLimit {
            return failure(Self.memoryLimitCode, TrialMemoryLimit.complaint(reached, over: request.memoryLimit))
        }
        if let signal = trace.signal {
            return failure(Self.signalCode, "the command ended by signal \(signal) (\(signalName(signal)))")
        }
        guard trace.exitStatus == 0 else {
            return failure(Self.statusCode, "the command ended with status \(trace.exitStatus ?? -1)")
        }
        return nil
    }

    /// Returns what a server's course found wrong; its end at the trial's own request is nothing wrong.
    private func failure(of trace: CommandTrace, _ findings: ServerCourse.Findings) -> TrialReport.Failure? {
        // One that only does not listen to SIGTERM was measured.
        if trace.timedOut, findings.settled == nil {
            return failure(
                Self.timeoutCode,
                "the server was killed after \(CSV.text(request.timeoutSeconds)) s, \(findings.step); if it needs more time, raise "
                    + "--timeout")
        }
        if trace.overLimit != nil { return failure(of: trace) }
        return findings.failure.map { found in
            guard found.code == ServerCourse.ended else { return failure(found.code.rawValue, found.detail) }
            if let signal = trace.signal {
                return failure(
                    Self.signalCode, "the server ended by signal \(signal) (\(signalName(signal))) \(findings.step)")
            }
            let remedy = trace.exitStatus == 0 ? "; it has to run in the foreground" : ""
            return failure(
                Self.statusCode, "the server ended with status \(trace.exitStatus ?? -1) \(findings.step)\(remedy)")
        }
    }

    /// A message with the program's name, without its folder, and the kernel's reason.
    private func notStarted(_ error: MemProbeError) -> String {
        let obstacle = error.startObstacle(in: request.directory)
        if error.source == request.standardInput { return "its input cannot be read: \(obstacle)" }
        return "\(PathText.name(of: request.command[0])) cannot be started: \(obstacle)"
    }

    private func verify(into report: inout TrialReport) {
        guard request.makesFile else { return }
        let path = request.file
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            report.failure = failure("no_file", "the command ended well and made no regular {file}")
            return
        }
        let body = FetchedBody(content: .file(path: path), byteCount: information.st_size)
        do throws(FetchFailure) {
            report.body = try BodyVerifier().reading(of: body, by: request.verification)
        } catch {
            report.failure = failure(error.code.rawValue, error.detail)
        }
    }

    private func failure(_ code: String, _ detail: String) -> TrialReport.Failure {
        TrialReport.Failure(phase: .fetch, code: code, detail: detail, isRejection: false)
    }
}

extension Mark {
    /// The memory of a whole command that fetched next to nothing, from which growth of the same command counts.
    package init(peakOf trace: CommandTrace) {
        self.init(
            memory: Snapshot(
                timeNanoseconds: trace.endNanoseconds, resident: trace.peak.resident,
                anonymous: trace.treeMaximum.anonymous, programPages: trace.programPages, threads: 0,
                cpuNanoseconds: trace.cpuNanoseconds), allocator: nil)
    }
}

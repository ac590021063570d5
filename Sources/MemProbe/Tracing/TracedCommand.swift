// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A program in any language, run and measured from outside: the exact peak of each of its processes.
///
/// Tracing stops the command only when threads and processes start and end, and at signals; otherwise it runs at full
/// speed. While traced, a program that it starts with another user's rights (`sudo`) does not get them.
///
/// A process that executes several programs counts with the largest. The peak of a replaced program is exact if it
/// exceeds the supervisor's and those of the process's own children; otherwise it is the largest sample.
public struct TracedCommand: Hashable, Sendable {
    /// The absolute path of the program.
    public var executable: String
    /// The program's `argv`, including its own name.
    public var arguments: [String]
    /// The program's complete environment, as `NAME=value`.
    public var environment: [String]
    /// The program's working directory.
    public var workingDirectory: String
    /// The descriptor for the program's standard input.
    public var standardInput: Int32
    /// The descriptor for the program's standard output.
    public var standardOutput: Int32
    /// The descriptor for the program's standard error.
    public var standardError: Int32

    /// Creates a command.
    public init(
        executable: String, arguments: [String], environment: [String], workingDirectory: String,
        standardInput: Int32, standardOutput: Int32, standardError: Int32
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.standardInput = standardInput
        self.standardOutput = standardOutput
        self.standardError = standardError
    }

    /// Runs the command to its end and returns its cost; a command that fails is a result, not an error.
    ///
    /// It blocks the calling thread; the command and its descendants die with that thread, even if this process is
    /// killed. The command runs in a session of its own, without a terminal. Call this in a separate process with
    /// little memory and no other children: it reaps every child of this thread, resets `SIGCHLD` to its default, and
    /// adopts the command's orphans. Afterwards these settings are restored, and no process of the command is left:
    /// what still runs 200 ms after the command itself is killed, unless it is given more time.
    ///
    /// It uses `ptrace(2)`: `PTRACE_SEIZE` with `PTRACE_O_TRACEEXIT`.
    ///
    /// - Parameters:
    ///   - timeoutNanoseconds: the time after which the command and its descendants are killed, or `nil`.
    ///   - residentLimit: the memory of all processes together beyond which they are killed, or `nil`: what they hold
    ///     for certain, without program pages. See ``CommandTrace/peak``.
    ///   - graceNanoseconds: the time that descendants may run after the command itself; up to the time-out, where it
    ///     is longer than the standard.
    ///   - sampleIntervalNanoseconds: the time between two samples of all processes together.
    ///   - method: the method of finding the peaks.
    /// - Throws: ``MemProbeError/Code/notStarted`` with the `errno`, ``MemProbeError/Code/unavailable`` if exit stops
    ///   were requested and the kernel refuses them, ``MemProbeError/Code/notEnded`` if a killed process does not end,
    ///   ``ProcFileSystem/obstacle`` if there is one.
    public func run(
        timeoutNanoseconds: Int?, residentLimit: ByteCount? = nil, graceNanoseconds: Int = 200_000_000,
        sampleIntervalNanoseconds: Int = 1_000_000, method: TraceMethod = .automatic
    ) throws(MemProbeError) -> CommandTrace {
        precondition(sampleIntervalNanoseconds > 0, "samples need time between them")
        precondition(timeoutNanoseconds.map { $0 >= 0 } ?? true, "a time-out is not negative")
        precondition(graceNanoseconds >= 0, "a time is not negative")
        if let obstacle = ProcFileSystem.obstacle { throw obstacle }
        let watch = ChildWatch()
        // Before the fork, to exclude this process's existing children.
        let finder = ChildFinder()
        let plan = TracePlan(
            timeout: timeoutNanoseconds, residentLimit: residentLimit, grace: graceNanoseconds,
            interval: sampleIntervalNanoseconds)
        var reason = "polling was requested"
        if method != .polled {
            let child = try GatedChild(self)
            guard let refusal = Self.seize(child.identifier) else {
                return try ExitStopTracer(child.identifier, plan).run(child, watch)
            }
            child.abandon()
            if method == .exitStops { throw refusal }
            reason = refusal.description
        }
        let child = try GatedChild(self, isGuarded: true)
        return try PolledTracer(child.identifier, plan, finder).run(child, watch, reason: reason)
    }

    static func seize(_ identifier: Int32) -> MemProbeError? {
        let status = cmemprobe_trace_seize(identifier)
        return status == 0 ? nil : MemProbeError(.unavailable, source: "ptrace", errno: status)
    }
}

struct TracePlan {
    var timeout: Int?
    var residentLimit: ByteCount?
    var grace: Int
    var interval: Int
}

extension TracedCommand {
    /// True if a process of a traced command may be left.
    ///
    /// That is a child of this process, or one that started unknown to the tracer (`CLONE_UNTRACED`) and was adopted by
    /// this process's keeper.
    package static var mayHaveLeftOthers: Bool {
        cmemprobe_has_children() || ChildFinder.listed(of: getppid()).count > 1
    }
}

// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A program in any language, run and measured from outside: the exact peak of each of its processes.
///
/// Tracing stops the command only where threads and processes begin and end, and at signals; it runs at its own
/// speed otherwise. A program that the command starts with another user's rights (`sudo`) gets none while traced.
///
/// A process that becomes one program after another counts with its largest. The peak of a program that was replaced
/// is known exactly where it is larger than the supervisor was and than the process's own children; else as it was
/// sampled.
public struct TracedCommand: Hashable, Sendable {
    /// The absolute path of the program.
    public var executable: String
    /// What the program gets as `argv`, its own name first.
    public var arguments: [String]
    /// What it gets as environment, each as `NAME=value`, and nothing else.
    public var environment: [String]
    /// The folder it works in.
    public var workingDirectory: String
    /// The descriptor that it gets as its standard input.
    public var standardInput: Int32
    /// The descriptor that it gets as its standard output.
    public var standardOutput: Int32
    /// The descriptor that it gets as its standard error.
    public var standardError: Int32

    /// Describes a command.
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

    /// Runs the command to its end and returns what it cost; a command that fails is a result, not an error.
    ///
    /// It blocks the calling thread, and the command and all that it started die with that thread, also where this
    /// process is killed. The command has no terminal: it runs in a session of its own. Call it in a process of its own,
    /// with little memory and no other children: it takes every child's end that this thread would hear of, sets the
    /// signal `SIGCHLD` to its default, and takes the command's orphans over. Afterwards all is as it was, and no
    /// process of the command is left: what runs on 200 ms after the command itself has ended is killed.
    ///
    /// - Parameters:
    ///   - timeoutNanoseconds: after how long the command and all it started are killed, or `nil`.
    ///   - residentLimit: what all processes together may hold before they are killed, or `nil`; a page that several of
    ///     them share counts for each.
    ///   - sampleIntervalNanoseconds: the time between two samples of all processes together.
    ///   - method: how the peaks shall be found.
    /// - Throws: ``MemProbeError/Code/notStarted`` with the `errno` of what stood in the way,
    ///   ``MemProbeError/Code/unavailable`` where exit stops were asked for and the kernel refuses them,
    ///   ``MemProbeError/Code/notEnded`` where a killed process does not end.
    ///
    /// The origin is `ptrace(2)`: `PTRACE_SEIZE` with `PTRACE_O_TRACEEXIT`.
    public func run(
        timeoutNanoseconds: Int?, residentLimit: ByteCount? = nil, sampleIntervalNanoseconds: Int = 1_000_000,
        method: TraceMethod = .automatic
    ) throws(MemProbeError) -> CommandTrace {
        precondition(sampleIntervalNanoseconds > 0, "samples need time between them")
        precondition(timeoutNanoseconds.map { $0 >= 0 } ?? true, "a time-out is not negative")
        let watch = ChildWatch()
        // Before the fork: what is a child of this process now is none of the command's.
        let finder = ChildFinder()
        let plan = TracePlan(
            timeout: timeoutNanoseconds, residentLimit: residentLimit, interval: sampleIntervalNanoseconds)
        var reason = "polling was asked for"
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
    var interval: Int
}

extension TracedCommand {
    /// Whether a process of a command that was traced may still be there.
    ///
    /// It is a child of this process, or one that no tracer was told of (`CLONE_UNTRACED`), which the keeper of this
    /// process has adopted.
    package static var mayHaveLeftOthers: Bool {
        cmemprobe_has_children() || ChildFinder.listed(of: getppid()).count > 1
    }
}

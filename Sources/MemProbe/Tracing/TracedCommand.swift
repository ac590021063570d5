// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

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
    /// The control group that counts and limits the program's memory; `nil` for that of this process.
    package var controlGroup: ControlGroup?
    /// The orders of another thread of this process; `nil` for none.
    package var control: TraceControl?

    /// Creates a command.
    public init(
        executable: String, arguments: [String], environment: [String], workingDirectory: String,
        standardInput: Int32, standardOutput: Int32, standardError: Int32
    ) {
        (self.executable, self.arguments) = (executable, arguments)
        (self.environment, self.workingDirectory) = (environment, workingDirectory)
        (self.standardInput, self.standardOutput) = (standardInput, standardOutput)
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
        defer { control?.close() }
        precondition(sampleIntervalNanoseconds > 0, "samples need time between them")
        precondition(timeoutNanoseconds.map { $0 >= 0 } ?? true, "a time-out is not negative")
        precondition(graceNanoseconds >= 0, "a time is not negative")
        if let obstacle = ProcFileSystem.obstacle { throw obstacle }
        let watch = ChildWatch()
        // Before the fork, to exclude this process's existing children.
        let finder = PolledTracer.ChildFinder()
        let plan = Plan(
            timeout: timeoutNanoseconds, residentLimit: residentLimit, grace: graceNanoseconds,
            interval: sampleIntervalNanoseconds, group: controlGroup, control: control)
        var reason = "polling was requested"
        if method != .polled {
            let child = try GatedChild.waiting(self)
            guard let refusal = Self.seize(child.identifier) else {
                return try ExitStopTracer(child.identifier, plan).run(child, watch)
            }
            child.abandon()
            if method == .exitStops { throw refusal }
            reason = refusal.description
        }
        let child = try GatedChild.waiting(self, isGuarded: true)
        return try PolledTracer(child.identifier, plan, finder).run(child, watch, reason: reason)
    }

    static func seize(_ identifier: Int32) -> MemProbeError? {
        let status = cmemprobe_trace_seize(identifier)
        return status == 0 ? nil : MemProbeError(.unavailable, source: "ptrace", errno: status)
    }

    struct Plan {
        var timeout: Int?
        var residentLimit: ByteCount?
        var grace: Int
        var interval: Int
        var group: ControlGroup?
        var control: TraceControl?
    }
}

extension TracedCommand {
    /// True if a process of a traced command may be left.
    ///
    /// That is a child of this process, or one that started unknown to the tracer (`CLONE_UNTRACED`) and was adopted by
    /// this process's keeper.
    package static var mayHaveLeftOthers: Bool {
        cmemprobe_has_children() || PolledTracer.ChildFinder.listed(of: getppid()).count > 1
    }
}

package struct TraceLimits: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        case wait
        /// Kill the rest because of the time limit.
        case killOverdue
        /// Kill the rest because all processes together exceed the memory limit.
        case killOverLimit
        /// Kill the rest because the grace period after the command's end is over.
        case killOutlived
        /// Give up because something survived being killed.
        case giveUp
    }

    /// The time that descendants may run after the command itself, in nanoseconds.
    package static let standardGrace = 200_000_000
    /// The time that killed processes may take to end; only waiting for a disk or network drive delays it.
    package static let patience = 10_000_000_000

    /// The time limit, or `nil`.
    private let deadline: Int?
    private let grace: Int
    private var killTime: Int?

    package init(start: Int, timeout: Int?, grace: Int = TraceLimits.standardGrace) {
        deadline = timeout.map { start.addingReportingOverflow($0) }.map { $0.overflow ? Int.max : $0.partialValue }
        self.grace = grace
    }

    package var isKilling: Bool { killTime != nil }

    /// Decides what to do while something still runs; each kill is requested once.
    package mutating func step(at now: Int, leaderEnded: Int?, isOverLimit: Bool = false) -> Step {
        if let killTime { return now - killTime > Self.patience ? .giveUp : .wait }
        if isOverLimit {
            killTime = now
            return .killOverLimit
        }
        if let leaderEnded {
            if let deadline, now >= deadline, grace > Self.standardGrace {
                killTime = now
                return .killOverdue
            }
            guard now - leaderEnded >= grace else { return .wait }
            killTime = now
            return .killOutlived
        }
        guard let deadline, now >= deadline else { return .wait }
        killTime = now
        return .killOverdue
    }
}

/// The requested method of finding the peaks of a command's processes.
public enum TraceMethod: Hashable, Sendable, CaseIterable {
    /// Exactly if the kernel lets this process trace its children, else by polling.
    case automatic
    /// Exactly or not at all.
    case exitStops
    /// By polling, even where more is possible.
    case polled
}

extension ProcessTree {
    /// Reaps orphaned zombies, which have become children of this process.
    func reap() {
        for process in processes {
            var change = cmemprobe_change()
            _ = cmemprobe_change_of(process.identifier, &change)
        }
    }
}

/// Finds programs as a shell does: a program is a regular file that this user may execute.
package enum ExecutableSearch {
    /// The folders to search if the environment has no `PATH`.
    private static let standardFolders = "/usr/local/bin:/usr/bin:/bin"

    /// Returns the path of a program: the name itself if it contains a slash, else a match in the folders of `PATH`.
    ///
    /// An empty folder in `PATH` is the working directory.
    ///
    /// - Parameters:
    ///   - environment: that of the program, as `NAME=value`.
    ///   - directory: the program's working directory; by default that of this process.
    /// - Throws: ``MemProbeError/Code/notStarted`` with `ENOENT`, `EISDIR` (for paths only; a search skips folders) or
    ///   `EACCES`, as a shell would report.
    package static func path(
        of name: String, environment: [String], in directory: String? = nil
    ) throws(MemProbeError) -> String {
        guard !name.contains("/") else {
            if let obstacle = obstacle(at: absolute(name, in: directory)) { throw error(name, obstacle) }
            return name
        }
        guard !name.isEmpty else { throw error(name, ENOENT) }
        let folders = environment.first { $0.hasPrefix("PATH=") }.map { String($0.dropFirst(5)) } ?? standardFolders
        var complaint = ENOENT
        for folder in folders.split(separator: ":", omittingEmptySubsequences: false) {
            let path = folder.isEmpty ? "./\(name)" : "\(folder)/\(name)"
            guard let obstacle = obstacle(at: absolute(path, in: directory)) else { return path }
            if obstacle == EACCES { complaint = EACCES }
        }
        throw error(name, complaint)
    }

    /// Returns the reason why a file is not an executable program, or `nil` if it is one.
    private static func obstacle(at path: String) -> Int32? {
        var information = stat()
        guard SystemText.withCString(path, { stat($0, &information) }) == 0 else {
            return errno == ENOTDIR ? ENOENT : errno
        }
        switch information.st_mode & S_IFMT {
        case S_IFDIR: return EISDIR
        case S_IFREG: return SystemText.withCString(path) { access($0, X_OK) } == 0 ? nil : EACCES
        default: return EACCES
        }
    }

    private static func absolute(_ path: String, in directory: String?) -> String {
        guard let directory, !path.hasPrefix("/") else { return path }
        return "\(directory)/\(path)"
    }

    private static func error(_ name: String, _ number: Int32) -> MemProbeError {
        MemProbeError(.notStarted, source: name, errno: number)
    }
}

/// The kernel's permissions for tracing children, as far as measuring commands needs them.
package struct TracingAbility: Hashable, Sendable {
    /// The reason why children cannot be traced, so that peaks are polled; `nil` if they can.
    package var refusal: MemProbeError?
    /// True if `kcmp` is allowed, which is needed only for processes whose start was not observed.
    package var tellsSharedMemory: Bool
    /// True if a seccomp filter is active, as in containers.
    package var isFiltered: Bool
    /// `kernel.yama.ptrace_scope`, or `nil` if the kernel has none.
    package var scope: Int?

    package init(refusal: MemProbeError?, tellsSharedMemory: Bool, isFiltered: Bool, scope: Int?) {
        (self.refusal, self.tellsSharedMemory) = (refusal, tellsSharedMemory)
        (self.isFiltered, self.scope) = (isFiltered, scope)
    }

    package static func probe() -> TracingAbility {
        let files = ProcessFiles()
        return TracingAbility(
            refusal: refusal(), tellsSharedMemory: cmemprobe_shares_memory(getpid(), getpid()) == 1,
            isFiltered: files.number(behind: "Seccomp:", in: "/proc/self/status").map { $0 > 0 } ?? false,
            scope: files.number(behind: "", in: "/proc/sys/kernel/yama/ptrace_scope"))
    }

    private static func refusal() -> MemProbeError? {
        let nothing = TracedCommand(
            executable: "/", arguments: [], environment: [], workingDirectory: "/", standardInput: STDIN_FILENO,
            standardOutput: STDOUT_FILENO, standardError: STDERR_FILENO)
        do throws(MemProbeError) {
            let child = try GatedChild.waiting(nothing)
            let refusal = TracedCommand.seize(child.identifier)
            child.abandon()
            return refusal
        } catch {
            return error
        }
    }
}

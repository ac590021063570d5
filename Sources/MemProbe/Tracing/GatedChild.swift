// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

/// A child process that waits for permission to execute its program.
///
/// With a guardian it is this process's grandchild, and all its descendants are killed with this process: the kernel
/// does that itself only for traced processes.
package struct GatedChild: ~Copyable {
    package let identifier: Int32
    /// The guardian's process identifier, or `nil` for a child without one.
    package let guardian: Int32?
    private let executable: String
    private let workingDirectory: String
    private let gate: CInt
    private let report: CInt
    private let ending: CInt

    /// Starts a child, which is in its control group before anything is timed: in version 2 the kernel may take 12 ms
    /// to move it.
    static func waiting(_ command: TracedCommand, isGuarded: Bool = false) throws(MemProbeError) -> GatedChild {
        let child = try GatedChild(command, isGuarded: isGuarded)
        do throws(ControlGroupObstacle) {
            if let group = command.controlGroup, !group.isEnteredAtOnce {
                try group.write("\(child.identifier)", to: "cgroup.procs")
            }
            return child
        } catch {
            child.abandon()
            throw MemProbeError(.notStarted, source: "\(command.executable) in its control group: \(error)")
        }
    }

    private init(_ command: TracedCommand, isGuarded: Bool) throws(MemProbeError) {
        var made = cmemprobe_gated_child()
        var between = cmemprobe_guardian(identifier: 0, ending: -1)
        var outside = command
        if command.controlGroup?.isEnteredAtOnce == false { outside.controlGroup = nil }
        let status = Self.withStrings(outside) {
            isGuarded ? cmemprobe_fork_guarded($0, &made, &between) : cmemprobe_fork_gated($0, &made)
        }
        guard status == 0 else { throw MemProbeError(.exhausted, source: "fork", errno: status) }
        executable = command.executable
        workingDirectory = command.workingDirectory
        identifier = made.identifier
        guardian = isGuarded ? between.identifier : nil
        gate = made.gate
        report = made.report
        ending = between.ending
    }

    deinit {
        close(gate)
        close(report)
        if ending >= 0 { close(ending) }
    }

    package borrowing func open() {
        var byte: UInt8 = 1
        // Fails only if the child is dead, which the next wait reports; SIGPIPE must not end this process.
        var pipe = sigset_t()
        var before = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        if write(gate, &byte, 1) < 0 {
            var now = timespec()
            sigtimedwait(&pipe, nil, &now)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Waits until the child executes its program; returns the error if that fails.
    package borrowing func startFailure() -> MemProbeError? {
        var failure = cmemprobe_start_failure()
        let count = withUnsafeMutableBytes(of: &failure) { SystemCall.readSome($0, from: report) }
        guard count == MemoryLayout.size(ofValue: failure) else { return nil }
        return Self.error(failure, executable: executable, workingDirectory: workingDirectory)
    }

    static func error(
        _ failure: cmemprobe_start_failure, executable: String, workingDirectory: String
    ) -> MemProbeError {
        switch failure.stage {
        case 1: MemProbeError(.notStarted, source: "standard streams of \(executable)", errno: failure.error)
        case 2: MemProbeError(.notStarted, source: workingDirectory, errno: failure.error)
        case 5: MemProbeError(.notStarted, source: "control group of \(executable)", errno: failure.error)
        default: MemProbeError(.notStarted, source: executable, errno: failure.error)
        }
    }

    /// Returns the end of the child, or `nil` while it runs; not to be called again after that.
    borrowing func end() -> cmemprobe_change? {
        var change = cmemprobe_change()
        if guardian != nil {
            let count = read(ending, &change, MemoryLayout.size(ofValue: change))
            if count == MemoryLayout.size(ofValue: change) { return change }
            if count < 0 { return nil }
            // The guardian was killed, and the child with it by its parent-death signal.
        }
        let status = cmemprobe_change_of(identifier, &change)
        if status == 0 { return change.identifier == identifier ? change : nil }
        guard guardian != nil else { return nil }
        return cmemprobe_change(
            identifier: identifier, status: SIGKILL, largest_resident_kilobytes: 0, cpu_nanoseconds: 0)
    }

    borrowing func isUnguarded() -> Bool {
        guard let guardian else { return true }
        var change = cmemprobe_change()
        return cmemprobe_change_of(guardian, &change) != 0 || change.identifier == guardian
    }

    borrowing func reap() { _ = SystemCall.retried { waitpid(guardian ?? identifier, nil, 0) } }

    /// Kills and reaps a child that has not executed its program.
    consuming func abandon() {
        kill(identifier, SIGKILL)
        var status: CInt = 0
        while true {
            let found = waitpid(identifier, &status, 0)
            guard found == identifier ? status & 0x7f == 0x7f : errno == EINTR else { break }
            // A traced one stops at its end first.
            if found == identifier { _ = cmemprobe_trace_continue(identifier, 0) }
        }
        if guardian != nil { reap() }
    }

    /// Passes the command to C code; the strings live as long as the call.
    static func withStrings(
        _ command: TracedCommand, _ body: (UnsafePointer<cmemprobe_command>) -> CInt
    ) -> CInt {
        let arguments = CStrings(command.arguments)
        let environment = CStrings(command.environment)
        let group = CStrings(command.controlGroup.map { [$0.entrance] } ?? [])
        return SystemText.withCString(command.executable) { executable in
            SystemText.withCString(command.workingDirectory) { folder in
                var described = cmemprobe_command(
                    executable: executable, arguments: arguments.pointers, environment: environment.pointers,
                    working_directory: folder, control_group: group.pointers[0],
                    standard_input: command.standardInput, standard_output: command.standardOutput,
                    standard_error: command.standardError)
                return body(&described)
            }
        }
    }

    /// Strings in the form that `execve` needs: an array that ends with NULL.
    private struct CStrings: ~Copyable {
        let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        private let count: Int

        init(_ strings: [String]) {
            count = strings.count
            pointers = .allocate(capacity: count + 1)
            pointers.initialize(repeating: nil, count: count + 1)
            for (index, string) in strings.enumerated() {
                pointers[index] = SystemText.withCString(string) { strdup($0) }
            }
        }

        deinit {
            for index in 0..<count { free(pointers[index]) }
            pointers.deallocate()
        }
    }
}

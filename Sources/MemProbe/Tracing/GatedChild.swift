// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A child process that waits until it may become its program.
package struct GatedChild: ~Copyable {
    /// Its number.
    package let identifier: Int32
    private let executable: String
    private let workingDirectory: String
    private let gate: CInt
    private let report: CInt

    /// Forks the child.
    ///
    /// - Throws: ``MemProbeError/Code/exhausted`` where no process or descriptor can be had.
    package init(_ command: TracedCommand) throws(MemProbeError) {
        var made = cmemprobe_gated_child()
        let status = Self.withStrings(command) { cmemprobe_fork_gated($0, &made) }
        guard status == 0 else { throw MemProbeError(.exhausted, source: "fork", errno: status) }
        executable = command.executable
        workingDirectory = command.workingDirectory
        identifier = made.identifier
        gate = made.gate
        report = made.report
    }

    deinit {
        close(gate)
        close(report)
    }

    /// Lets the child become its program.
    package borrowing func open() {
        var byte: UInt8 = 1
        // It fails only where the child is dead, which the next wait says; SIGPIPE must not end this process.
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

    /// Waits until the child has become its program or failed to; what failed, or `nil`.
    package borrowing func startFailure() -> MemProbeError? {
        var failure = cmemprobe_start_failure()
        var count: Int
        repeat {
            count = read(report, &failure, MemoryLayout.size(ofValue: failure))
        } while count < 0 && errno == EINTR
        guard count == MemoryLayout.size(ofValue: failure) else { return nil }
        switch failure.stage {
        case 1: return MemProbeError(.notStarted, source: "standard streams of \(executable)", errno: failure.error)
        case 2: return MemProbeError(.notStarted, source: workingDirectory, errno: failure.error)
        default: return MemProbeError(.notStarted, source: executable, errno: failure.error)
        }
    }

    /// Ends the child, which has not become anything, and takes it away.
    consuming func abandon() {
        kill(identifier, SIGKILL)
        while waitpid(identifier, nil, 0) < 0 && errno == EINTR {}
    }

    /// Passes the command on as C has it; the strings live as long as the call.
    private static func withStrings(
        _ command: TracedCommand, _ body: (UnsafePointer<cmemprobe_command>) -> CInt
    ) -> CInt {
        let arguments = CStrings(command.arguments)
        let environment = CStrings(command.environment)
        return command.executable.withCString { executable in
            command.workingDirectory.withCString { folder in
                var described = cmemprobe_command(
                    executable: executable, arguments: arguments.pointers, environment: environment.pointers,
                    working_directory: folder, standard_input: command.standardInput,
                    standard_output: command.standardOutput, standard_error: command.standardError)
                return body(&described)
            }
        }
    }
}

/// Strings as `execve` wants them: an array that ends with NULL.
private struct CStrings: ~Copyable {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        pointers = .allocate(capacity: count + 1)
        pointers.initialize(repeating: nil, count: count + 1)
        for (index, string) in strings.enumerated() { pointers[index] = strdup(string) }
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}

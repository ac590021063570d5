// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
        self.refusal = refusal
        self.tellsSharedMemory = tellsSharedMemory
        self.isFiltered = isFiltered
        self.scope = scope
    }

    /// Tries to trace a child that executes nothing.
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
            let child = try GatedChild(nothing)
            let refusal = TracedCommand.seize(child.identifier)
            child.abandon()
            return refusal
        } catch {
            return error
        }
    }
}

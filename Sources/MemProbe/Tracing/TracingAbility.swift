// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the kernel lets this process do with its children, as far as measuring commands needs it.
package struct TracingAbility: Hashable, Sendable {
    /// Why a child cannot be traced, or `nil` where it can: then peaks are polled.
    package var refusal: MemProbeError?
    /// Whether the kernel says which processes share one memory (`kcmp`): only what was not seen to begin needs it.
    package var tellsSharedMemory: Bool
    /// Whether a seccomp filter is at work, as in containers.
    package var isFiltered: Bool
    /// `kernel.yama.ptrace_scope`, or `nil` on a kernel without it.
    package var scope: Int?

    package init(refusal: MemProbeError?, tellsSharedMemory: Bool, isFiltered: Bool, scope: Int?) {
        self.refusal = refusal
        self.tellsSharedMemory = tellsSharedMemory
        self.isFiltered = isFiltered
        self.scope = scope
    }

    /// Tries it on a child that becomes nothing.
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

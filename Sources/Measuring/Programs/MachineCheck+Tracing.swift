// SPDX-License-Identifier: Apache-2.0

package import MemProbe

extension MachineCheck {
    /// The finding about tracing, which the peaks of commands need.
    var tracing: Diagnosis { Self.finding(of: .probe()) }

    /// Returns the effect of a kernel's permissions on commands.
    package static func finding(of ability: TracingAbility) -> Diagnosis {
        let name = "peaks of commands"
        guard let refusal = ability.refusal else {
            let shared =
                ability.tellsSharedMemory
                ? "" : "; kcmp is refused, and shared memory is detected when a child starts"
            return Diagnosis(name, .available, "ptrace is allowed: each process is read at its end\(shared)")
        }
        let shared =
            ability.tellsSharedMemory
            ? "" : "; kcmp is refused as well, and shared memory is detected by comparing /proc/PID/status"
        return Diagnosis(
            name, .limited,
            "\(refusal.description)\(cause(of: ability)): processes are polled, and growth after the last reading is "
                + "missed\(shared)",
            remedy: remedy(for: ability))
    }

    private static func cause(of ability: TracingAbility) -> String {
        if let scope = ability.scope, scope > 1 { return " (kernel.yama.ptrace_scope is \(scope))" }
        return ability.isFiltered ? " (a seccomp filter is active)" : ""
    }

    private static func remedy(for ability: TracingAbility) -> String {
        if let scope = ability.scope, scope > 1 {
            return scope == 2
                ? "sysctl kernel.yama.ptrace_scope=1, or the capability CAP_SYS_PTRACE"
                : "set kernel.yama.ptrace_scope=1 and restart: 3 cannot be lowered while running"
        }
        return "allow ptrace; in a container: --cap-add=SYS_PTRACE, or a seccomp profile that allows it"
    }
}

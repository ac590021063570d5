// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Support

/// How a run of a command ended.
package struct ExecOutcome: Codable, Hashable, Sendable {
    /// The words of the column `outcome`.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// With status 0.
        case completed
        /// With another status, or it could not be started or prepared.
        case failed
        /// By a signal that fetchbench did not send.
        case crashed
        /// It was killed when its time was over.
        case timedOut = "timed_out"
        /// It was killed because it held too much.
        case overLimit = "over_limit"
    }

    /// The word.
    package var kind: Kind
    /// What happened, and what the command said last; empty of a run that completed.
    package var detail: String
    /// The status with which it ended, or `nil`.
    package var exitStatus: Int?
    /// The signal that ended it, or `nil`.
    package var signal: Int?

    package init(_ kind: Kind, _ detail: String = "", exitStatus: Int? = nil, signal: Int? = nil) {
        self.kind = kind
        self.detail = detail
        self.exitStatus = exitStatus
        self.signal = signal
    }

    /// Whether the command came to an end of its own, which may be no good one.
    package var cameToAnEnd: Bool { exitStatus != nil || signal != nil }

    private enum CodingKeys: String, CodingKey {
        case kind, detail, signal
        case exitStatus = "exit_status"
    }
}

extension ExecOutcome {
    /// The outcome of a command that was traced.
    /// - Parameter said: what it said last, or nothing.
    package init(_ trace: CommandTrace, _ settings: ExecSettings, said: String) {
        if trace.timedOut {
            let held = ByteText.mebibytes(trace.peak.resident)
            self.init(.timedOut, Self.timeout(settings.timeoutSeconds) + "; it had held up to \(held) by then")
        } else if let reached = trace.overLimit {
            let allowed = settings.memoryLimit.map { " of \(ByteText.mebibytes($0))" } ?? ""
            self.init(
                .overLimit,
                "killed when it held \(ByteText.mebibytes(reached)), more than the memory limit\(allowed); "
                    + "if it needs that much, raise --memory-limit")
        } else {
            self.init(status: trace.exitStatus.map { Int($0) }, signal: trace.signal.map { Int($0) }, said: said)
        }
    }

    /// The outcome of something that ended with a status or by a signal.
    package init(status: Int?, signal: Int?, said: String) {
        if let signal {
            let name = SignalName.text(of: Int32(signal))
            self.init(.crashed, Self.text("ended by signal \(signal) (\(name))", said), signal: signal)
        } else if status == 0 {
            self.init(.completed, exitStatus: 0)
        } else {
            self.init(.failed, Self.text("ended with status \(status ?? -1)", said), exitStatus: status)
        }
    }

    /// The outcome of a child process of the harness.
    package init(_ ending: Ending, _ settings: ExecSettings, said: String) {
        switch ending {
        case .exited(let status): self.init(status: status, signal: nil, said: said)
        case .signalled(let signal): self.init(status: nil, signal: signal, said: said)
        case .killedAtLimit: self.init(.timedOut, Self.timeout(settings.timeoutSeconds))
        case .killedOverMemory(let reached): self.init(.overLimit, "killed at \(ByteText.mebibytes(reached))")
        case .wroteTooMuch(let limit): self.init(.failed, "wrote more than \(limit) bytes")
        case .notStarted(let reason): self.init(.failed, "cannot be started: \(reason)")
        }
    }

    private static func timeout(_ seconds: Double) -> String {
        "not ended within \(CSV.text(seconds)) s: killed; if it needs more, raise --timeout"
    }

    private static func text(_ what: String, _ said: String) -> String {
        said.isEmpty ? what : "\(what): \(said)"
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe
import Texts

extension Ending {
    /// Returns the reason of a failure for a message, with the time limit in seconds; `nil` for status 0.
    package func obstacle(within seconds: Double) -> String? {
        switch self {
        case .exited(0): nil
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "ended by signal \(signal) (\(signalName(Int32(signal))))"
        case .killedAtLimit: "not ended within \(CSV.text(seconds)) s: killed; if it needs more, raise --timeout"
        case .killedOverMemory(let reached): "killed when it held \(ByteText.mebibytes(reached))"
        case .wroteTooMuch(let limit): "wrote more than \(limit) bytes"
        case .notStarted(let reason): "cannot be started: \(reason)"
        }
    }
}

extension ProcessEnd {
    /// Returns the reason that it gave on standard error (see ``LastWords``).
    ///
    /// Secrets are redacted before the text is cut: a part of a secret would not be recognised.
    package func lastWords(limit: Int = 400, redacting: (String) -> String = { $0 }) -> String {
        let reason = LastWords.reason(in: complaints.text, limit: Self.longestReason, lines: 5)
        var safe = redacting(reason)
        // The end of a truncated line may be half a secret, so it is dropped.
        if reason.count == Self.longestReason { safe.removeLast(min(safe.count, Self.longestReason / 4)) }
        return LastWords.ending(safe, limit: limit)
    }

    /// The number of characters examined: some lines never end.
    private static var longestReason: Int { 4096 }
}

extension Survivors {
    /// A description such as `3 processes (sleep, sh; about 12 MiB resident)`.
    package var text: String {
        let size = (resident.rawValue + (1 << 19)) >> 20
        let names = Set(names).sorted().prefix(5).joined(separator: ", ")
        return "\(count) \(count == 1 ? "process" : "processes") (\(names); about \(size) MiB resident)"
    }
}

extension MemProbeError {
    /// The reason that a program cannot be started from a folder, in the kernel's words.
    package func startObstacle(in folder: String) -> String {
        guard let errno else { return code.rawValue }
        // ENOENT also stands for a script whose interpreter does not exist.
        let file = source.hasPrefix("/") ? source : folder + "/" + source
        if errno == ENOENT, source.contains("/"), SystemText.withCString(file, { access($0, F_OK) }) == 0 {
            return "its interpreter (first line) or loader does not exist"
        }
        return String(cString: strerror(errno))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import Texts

/// The exit statuses of the commands; thrown after the reason was printed.
extension ExitCode {
    package static let red = ExitCode(1)
    /// No answer: the harness or trials failed, or the result is inconclusive.
    package static let noAnswer = ExitCode(2)
    /// A shard stopped because of a problem that may be gone at the next attempt (EX_TEMPFAIL of sysexits.h).
    package static let temporary = ExitCode(75)
    /// Stopped by a signal; what was measured is kept.
    package static let interrupted = ExitCode(130)

    package func exit() -> Never { Glibc.exit(rawValue) }

    /// The status by which an engine tries a shard again; `nil` for other runs, and for errors that stay.
    package static func ofShard(stoppedBy error: any Error, isShard: Bool) -> ExitCode? {
        isShard && (error as? FetchBenchError)?.kind == .temporary ? .temporary : nil
    }
}

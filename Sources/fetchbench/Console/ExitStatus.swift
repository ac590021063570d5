// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An exit status of any command; thrown to end the command with it.
enum ExitStatus: Int32, Error {
    /// Done, and within limits.
    case done = 0
    /// Regressed or over budget.
    case red = 1
    /// No answer: the harness or trials failed, or the result is inconclusive.
    case noAnswer = 2
    /// Wrong usage; the argument parser uses it, too.
    case usage = 64
    /// Stopped by a signal; what was measured is kept.
    case interrupted = 130

    func exit() -> Never {
        Glibc.exit(rawValue)
    }
}

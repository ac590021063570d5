// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The exit statuses of every command; thrown where a command has to end with one of them.
enum ExitStatus: Int32, Error {
    /// Done, and within limits.
    case done = 0
    /// Regressed or over budget.
    case red = 1
    /// The harness could not answer.
    case noAnswer = 2
    /// Wrong usage; what the argument parser uses, too.
    case usage = 64
    /// Stopped by a signal; what was measured is kept.
    case interrupted = 130

    /// Ends the process.
    func exit() -> Never {
        Glibc.exit(rawValue)
    }
}

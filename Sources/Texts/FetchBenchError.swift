// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An error of the harness, unlike a failed trial: what failed, why, and what to do about it.
///
/// Its text is made where it is thrown; the command prints it, and ends with the exit status of its kind.
package struct FetchBenchError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// Invalid arguments, found before anything is measured.
        case usage
        case failure
        /// There is no result, which ends nothing else: a format has nothing to show of a run.
        case noAnswer
        /// The same command may succeed at the next attempt, or on another machine.
        case temporary
    }

    package let kind: Kind
    package let message: String
    package let remedy: String?
    /// The kernel's reason, if it is one of the kernel.
    package let errno: Int32?

    package init(_ message: String, remedy: String? = nil, kind: Kind = .failure, errno: Int32? = nil) {
        (self.kind, self.message, self.remedy, self.errno) = (kind, message, remedy, errno)
    }

    /// Creates an error about arguments.
    /// - Parameter message: The error and the valid values; safe for a terminal.
    package init(usage message: String) { self.init(message, kind: .usage) }

    package func adding(remedy: String) -> FetchBenchError {
        FetchBenchError(message, remedy: remedy, kind: kind, errno: errno)
    }

    package init(kernel message: String, errno: Int32?) {
        self.init(message + (errno.map { ": " + String(cString: strerror($0)) } ?? ""), errno: errno)
    }

    package var description: String { message + (remedy.map { ". " + $0 } ?? "") }
}

// MARK: - Files

extension FetchBenchError {
    private static let temporaryReasons = [
        ENOSPC, EDQUOT, EIO, ESTALE, EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, EROFS,
    ]

    package static func cannotRead(name: String, errno: Int32) -> FetchBenchError {
        FetchBenchError("\(name) cannot be read: \(reason(errno))", kind: kind(errno), errno: errno)
    }

    package static func cannotWrite(name: String, errno: Int32) -> FetchBenchError {
        guard errno != EEXIST else {
            return FetchBenchError(
                "\(name) already exists and is not overwritten; choose another --output", errno: errno)
        }
        let remedy =
            if name.contains("TMPDIR") {
                "Set TMPDIR to a writable folder"
            } else if name == "the history" {
                "Give --history a file that can be written"
            } else {
                "Stored trials are kept; free space or choose another --output"
            }
        return FetchBenchError(
            "\(name) cannot be written: \(reason(errno))", remedy: remedy, kind: kind(errno), errno: errno)
    }

    private static func kind(_ errno: Int32) -> Kind { temporaryReasons.contains(errno) ? .temporary : .failure }

    private static func reason(_ errno: Int32) -> String {
        switch errno {
        case EILSEQ: "its path is not valid UTF-8, which only commands and their inputs may have"
        case ENXIO, ESPIPE: "it is not a regular file"
        case EBADMSG: "its gzip data is damaged or ends early"
        default: String(cString: strerror(errno))
        }
    }
}

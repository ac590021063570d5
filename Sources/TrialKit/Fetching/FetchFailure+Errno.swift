// SPDX-License-Identifier: Apache-2.0

import Glibc

extension FetchFailure {
    /// Creates the failure of a system call from its `errno`.
    public init(errno number: CInt, _ what: String) {
        self.init(Self.code(ofErrno: number), "\(what): \(String(cString: strerror(number)))")
    }

    private static func code(ofErrno number: CInt) -> Code {
        switch number {
        case ECONNREFUSED: .connectionRefused
        case ECONNRESET, EPIPE: .connectionLost
        case EAGAIN, ETIMEDOUT, EINPROGRESS: .idleTimeout
        case ENETUNREACH, EHOSTUNREACH: .unreachable
        case ENOENT, EACCES, EISDIR, ENOTDIR, EROFS, ENOSPC, EDQUOT, EFBIG: .file
        default: .other
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// Socket calls that retry after a signal; `errno` has the reason of a failure.
package enum SocketCall {
    /// Receives available bytes; returns 0 at the end, and a negative number on failure.
    package static func receive(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt) -> Int {
        SystemCall.retried { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends as many bytes as there is room for; returns a negative number on failure, such as a closed connection.
    package static func sendSome(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Int {
        SystemCall.retried { send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Sends all bytes and waits for room; returns `false` on failure.
    package static func sendAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = sendSome(rest, to: descriptor)
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    package static func sendAll(_ text: String, to descriptor: CInt) -> Bool {
        var text = text
        return text.withUTF8 { sendAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}

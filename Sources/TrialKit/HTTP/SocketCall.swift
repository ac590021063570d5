// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// Calls of a socket that go on where a signal has interrupted them; of a failure `errno` tells.
package enum SocketCall {
    /// Receives what is there, at most the size of the buffer: 0 at the end, below 0 where it fails.
    package static func receive(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt) -> Int {
        SystemCall.retried { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends as much as there is room for; below 0 where it fails, as when nobody reads any more.
    package static func sendSome(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Int {
        SystemCall.retried { send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Sends all of the bytes, and waits for room; `false` where it fails.
    package static func sendAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = sendSome(rest, to: descriptor)
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    /// The same of a text.
    package static func sendAll(_ text: String, to descriptor: CInt) -> Bool {
        var text = text
        return text.withUTF8 { sendAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}

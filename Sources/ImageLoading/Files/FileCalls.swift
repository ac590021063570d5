// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The system calls that fail on a full device or must not be repeated, which tests replace.
package struct FileCalls: Sendable {
    /// Writes bytes to a descriptor; returns the number written, or the negated error number.
    package var write: @Sendable (CInt, UnsafeRawBufferPointer) -> Int

    package var close: @Sendable (CInt) -> Void = { _ = Glibc.close($0) }

    package init(write: @escaping @Sendable (CInt, UnsafeRawBufferPointer) -> Int) {
        self.write = write
    }

    package static let system = FileCalls { descriptor, bytes in
        let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        return count < 0 ? -Int(errno) : count
    }

    /// Writes all bytes; returns 0 or the error number.
    func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count == -Int(EINTR) { continue }
            guard count > 0 else { return count == 0 ? EIO : CInt(-count) }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The buffer of a raw fetch; each fetch allocates its own, because that is part of its cost.
package final class RawBuffer {
    package let bytes: UnsafeMutableRawBufferPointer

    package init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 4096)
    }

    deinit {
        bytes.deallocate()
    }
}

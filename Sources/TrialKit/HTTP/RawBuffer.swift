// SPDX-License-Identifier: Apache-2.0

/// The one buffer of a raw fetch: part of what the fetch costs, so each fetch allocates its own.
package final class RawBuffer {
    package let bytes: UnsafeMutableRawBufferPointer

    package init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 4096)
    }

    deinit {
        bytes.deallocate()
    }
}

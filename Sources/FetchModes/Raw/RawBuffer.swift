// SPDX-License-Identifier: Apache-2.0

/// The one buffer of a raw fetch: part of what the fetch costs, so each fetch allocates its own.
final class RawBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 4096)
    }

    deinit {
        bytes.deallocate()
    }
}

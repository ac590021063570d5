// SPDX-License-Identifier: Apache-2.0

/// Bytes readable at any offset, so that the whole need not be in memory.
package protocol BodySource: Sendable {
    var byteCount: Int { get }

    /// Fills the whole buffer with the bytes from `offset` on, which must all exist.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(AssetError)
}

package struct MemoryBytes: BodySource {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var byteCount: Int { bytes.count }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(AssetError) {
        buffer.copyBytes(from: bytes[offset..<offset + buffer.count])
    }
}

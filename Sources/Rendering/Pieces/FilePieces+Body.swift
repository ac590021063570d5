// SPDX-License-Identifier: Apache-2.0

package import TrialKit

extension FilePieces {
    /// Passes on the bytes of a body's file in pieces of `length` bytes; the last one may be shorter.
    package static func read(
        _ path: String, length: Int, _ take: (UnsafeRawBufferPointer) throws(RenderFailure) -> Void
    ) throws(RenderFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
        defer { buffer.deallocate() }
        try read(path, through: buffer, failure: { RenderFailure(.system, "the body's file \($0)") }, take)
    }
}

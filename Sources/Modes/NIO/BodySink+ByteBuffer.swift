// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import TrialKit

extension BodySink {
    /// Sends the readable bytes of a buffer without copying them; waits for room as needed.
    package func send(_ buffer: ByteBuffer) async throws(FetchFailure) {
        var rest = buffer
        while true {
            // Typed throws do not pass through `withUnsafeReadableBytes`, so the result is carried out.
            let written = try rest.withUnsafeReadableBytes { bytes in
                Result { () throws(FetchFailure) in bytes.isEmpty ? 0 : try write(bytes) }
            }.get()
            rest.moveReaderIndex(forwardBy: written)
            if rest.readableBytes == 0 { return }
            if written == 0 { try await waitForRoom() }
        }
    }
}

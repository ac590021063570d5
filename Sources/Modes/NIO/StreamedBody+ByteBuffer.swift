// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import TrialKit

extension StreamedBody {
    /// Takes the readable bytes of a buffer, without copying them.
    package mutating func take(_ buffer: ByteBuffer) throws(FetchFailure) {
        // Typed throws do not pass through `withUnsafeReadableBytes`, so the result is carried out.
        try buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(FetchFailure) in try take(bytes) }
        }.get()
    }
}

// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import NIOCore

extension StreamedBody {
    /// Takes the readable bytes of a buffer, without copying them.
    mutating func take(_ buffer: ByteBuffer) throws(FetchFailure) {
        // Typed throws do not pass through `withUnsafeReadableBytes`, so the result is carried out.
        try buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(FetchFailure) in try take(bytes) }
        }.get()
    }
}

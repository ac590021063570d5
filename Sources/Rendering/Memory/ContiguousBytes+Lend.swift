// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension ContiguousBytes {
    /// Lends the bytes to a function with a typed error, which `withUnsafeBytes` does not rethrow as such.
    func lend<R, E: Error>(to body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let result = withUnsafeBytes { bytes in Result { () throws(E) in try body(bytes) } }
        return try result.get()
    }
}

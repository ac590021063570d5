// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension ContiguousBytes {
    /// Lends the bytes to a function that throws a type of error, which `withUnsafeBytes` does not pass on.
    func lend<R, E: Error>(to body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        // The result is carried out as a value.
        let result = withUnsafeBytes { bytes in Result { () throws(E) in try body(bytes) } }
        return try result.get()
    }
}

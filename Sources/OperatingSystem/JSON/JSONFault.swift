// SPDX-License-Identifier: Apache-2.0

/// The reason that bytes are not valid JSON.
package enum JSONFault: Error, Hashable, Sendable {
    case cutOff
    /// An unexpected byte; the offset counts from the first byte that was given.
    case malformed(offset: Int, reason: String)
}

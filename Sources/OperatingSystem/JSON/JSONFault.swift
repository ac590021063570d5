// SPDX-License-Identifier: Apache-2.0

/// Why bytes are no JSON.
package enum JSONFault: Error, Hashable, Sendable {
    /// They end before the value does.
    case cutOff
    /// A byte stands where it cannot, counted from the first one that was given.
    case malformed(offset: Int, reason: String)
}

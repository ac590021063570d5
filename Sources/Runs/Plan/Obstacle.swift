// SPDX-License-Identifier: Apache-2.0

/// The reason, in words, that something cannot be measured; the caller knows what.
package struct Obstacle: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}

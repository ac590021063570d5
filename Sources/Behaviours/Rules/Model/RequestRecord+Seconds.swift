// SPDX-License-Identifier: Apache-2.0

package import Origin

extension RequestRecord {
    /// How long the client stayed, in seconds, or `nil` where it had not left.
    package var seconds: Double? {
        endedNanoseconds.map { Double($0 - beganNanoseconds) / 1e9 }
    }
}

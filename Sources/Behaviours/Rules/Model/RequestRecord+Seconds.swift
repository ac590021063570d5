// SPDX-License-Identifier: Apache-2.0

package import Origin

extension RequestRecord {
    /// The seconds until the client left, or `nil` if it had not.
    package var seconds: Double? {
        endedNanoseconds.map { Double($0 - beganNanoseconds) / 1e9 }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// How often a probe asks for the same body, and how what stays is counted.
package enum LeakRounds {
    /// How many rounds are compared with the one before.
    package static let count = 3
    package static let requests = 1000
    /// How many requests come before: what they leave is the library's, once and for all.
    package static let warmUp = 300
}

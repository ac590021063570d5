// SPDX-License-Identifier: Apache-2.0

/// The numbers of requests of the leak probes.
package enum LeakRounds {
    /// The rounds, each of which is compared with the one before.
    package static let count = 3
    package static let requests = 1000
    /// The requests before the rounds: what they leave behind is allocated once by the library.
    package static let warmUp = 300
}

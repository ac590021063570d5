// SPDX-License-Identifier: Apache-2.0

package import TrialKit

extension Set<ModeAbility> {
    /// What every mode with a session of its own can do.
    package static let ofSession: Set<ModeAbility> = [.concurrency, .sessionConfiguration, .connectionLimit, .gzip]

    /// What those can do that get the body in pieces.
    static let ofSessionInPieces: Self = ofSession.union([.slowConsumer])
}

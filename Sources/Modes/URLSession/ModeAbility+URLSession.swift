// SPDX-License-Identifier: Apache-2.0

package import TrialKit

extension Set<ModeAbility> {
    package static let ofSession: Set<ModeAbility> = [
        .concurrency, .sessionConfiguration, .connectionLimit, .gzip, .revalidation, .requestDetails,
    ]

    /// What those can do whose tasks are cancelled by hand: with completion handlers or a delegate.
    static let ofCancellableSession: Self = ofSession.union([.cancellation])

    /// What those can do that get the body in pieces.
    static let ofSessionInPieces: Self = ofCancellableSession.union([.slowConsumer])
}

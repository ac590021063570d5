// SPDX-License-Identifier: Apache-2.0

package import TrialKit

extension Set<ModeAbility> {
    package static let ofSession: Set<ModeAbility> = [
        .concurrency, .sessionConfiguration, .connectionLimit, .gzip, .revalidation, .requestDetails,
        .http2,
    ]

    /// The abilities of modes with completion handlers or a delegate, whose tasks can be cancelled.
    static let ofCancellableSession: Self = ofSession.union([.cancellation])

    /// The abilities of modes that receive the body in pieces.
    static let ofSessionInPieces: Self = ofCancellableSession.union([.slowConsumer])
}

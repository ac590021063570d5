// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCombine
import TrialKit
import URLSessionModes

extension FetchFailure {
    /// Converts the error that a chain of publishers ended with.
    init(ofPublisher error: any Error) {
        switch error {
        case let failure as FetchFailure: self = failure
        case let error as DecodingError: self.init(.other, "the body cannot be decoded: \(error.words)")
        default: self.init(error)
        }
    }
}

extension Publisher {
    /// Converts all errors to failures of a fetch.
    func mapFailures() -> Publishers.MapError<Self, FetchFailure> {
        mapError { FetchFailure(ofPublisher: $0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCombine
import TrialKit
import URLSessionModes

extension FetchFailure {
    /// The failure that a chain of publishers ended with: one that the chain told itself, or what is beneath it.
    init(ofPublisher error: any Error) {
        switch error {
        case let failure as FetchFailure: self = failure
        case let error as DecodingError: self.init(.other, "the body cannot be decoded: \(error.words)")
        default: self.init(error)
        }
    }
}

extension DecodingError {
    /// What is wrong with the body, without anything of its content.
    fileprivate var words: String {
        switch self {
        case .dataCorrupted: "it is no JSON"
        case .keyNotFound(let key, _): "a record has no '\(key.stringValue)'"
        case .typeMismatch(let type, _), .valueNotFound(let type, _): "a value is no \(type)"
        @unknown default: "it is of another kind"
        }
    }
}

extension Publisher {
    /// The same values, and failures in the words of this project.
    func mapFailures() -> Publishers.MapError<Self, FetchFailure> {
        mapError { FetchFailure(ofPublisher: $0) }
    }
}

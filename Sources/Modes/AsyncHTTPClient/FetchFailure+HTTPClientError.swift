// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOModes
package import TrialKit

extension FetchFailure {
    /// Converts an error of AsyncHTTPClient, or of SwiftNIO beneath it.
    package init(ofHTTPClient error: any Error, afterHead: Bool) {
        guard let error = error as? HTTPClientError else {
            self.init(ofNIO: error, afterHead: afterHead)
            return
        }
        switch error {
        case .remoteConnectionClosed: self = .connectionEnded(afterHead: afterHead)
        case .readTimeout, .connectTimeout, .deadlineExceeded:
            self.init(.idleTimeout, error.shortDescription)
        case .tlsHandshakeTimeout: self.init(.tls, error.shortDescription)
        case .redirectLimitReached, .redirectCycleDetected: self.init(.tooManyRedirects, error.shortDescription)
        case .emptyScheme, .emptyHost, .invalidURL: self.init(.unsupportedScheme, error.shortDescription)
        default: self.init(Self.code(ofWords: error.shortDescription), error.shortDescription)
        }
    }

    /// Compares descriptions, because the error includes the scheme.
    private static func code(ofWords words: String) -> Code {
        words == HTTPClientError.unsupportedScheme("").shortDescription ? .unsupportedScheme : .other
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
package import FoundationNetworking
package import TrialKit

/// Decides whether a response of URLSession carries the body that was asked for.
package enum ResponseCheck {
    /// Checks the status and, for a body that was fetched, its length against the header's promise.
    package static func check(
        _ response: URLResponse?, for request: FetchRequest, receivedByteCount: Int
    ) throws(FetchFailure) {
        guard let response = response as? HTTPURLResponse else {
            throw FetchFailure(.malformedResponse, "no HTTP response arrived")
        }
        try StatusCheck.check(response.statusCode)
        guard request.method == .get else { return }
        let promised = response.expectedContentLength
        let isIdentity = response.value(forHTTPHeaderField: "Content-Encoding").map { $0 == "identity" } ?? true
        if isIdentity, promised >= 0, promised != Int64(receivedByteCount) {
            throw FetchFailure(.truncatedBody, "\(receivedByteCount) bytes arrived of \(promised) promised")
        }
        guard receivedByteCount > 0 else { throw FetchFailure(.emptyBody, "status \(response.statusCode), no byte") }
    }
}

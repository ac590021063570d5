// SPDX-License-Identifier: Apache-2.0

import Foundation
package import FoundationNetworking
package import TrialKit

/// Checks whether a response of URLSession carries the requested body.
package enum ResponseCheck {
    /// Checks the status and, for a fetched body, the length against the promised one.
    package static func check(
        _ response: URLResponse?, for request: FetchRequest, receivedByteCount: Int
    ) throws(FetchFailure) {
        guard let response = response as? HTTPURLResponse else {
            throw FetchFailure(.malformedResponse, "no HTTP response arrived")
        }
        if [301, 302, 307, 308].contains(response.statusCode), response.value(forHTTPHeaderField: "Location") != nil {
            throw FetchFailure(
                .httpStatus,
                "status \(response.statusCode): a redirect that was not followed; URLSession drops the body of a request "
                    + "that keeps its method, so its modes follow none of those")
        }
        try StatusCheck.check(response.statusCode, resuming: request.resumption)
        guard request.method == .get else { return }
        let promised = response.expectedContentLength
        let isIdentity = response.value(forHTTPHeaderField: "Content-Encoding").map { $0 == "identity" } ?? true
        if isIdentity, promised >= 0, promised != Int64(receivedByteCount) {
            throw FetchFailure(.truncatedBody, "\(receivedByteCount) bytes arrived of \(promised) promised")
        }
        guard receivedByteCount > 0 else { throw FetchFailure(.emptyBody, "status \(response.statusCode), no byte") }
    }

    /// True if the origin confirms the version that the request named.
    package static func isUnchanged(_ response: URLResponse?, for request: FetchRequest) -> Bool {
        request.entityTag != nil && (response as? HTTPURLResponse)?.statusCode == 304
    }

    /// Returns the entity tag of the response, if the request wants it.
    package static func entityTag(_ response: URLResponse?, for request: FetchRequest) -> String? {
        guard request.wantsEntityTag else { return nil }
        return (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag")
    }
}

extension BodyHead {
    /// Reads a response of URLSession; the status is 0 if it is not HTTP.
    init(_ response: URLResponse?) {
        let response = response as? HTTPURLResponse
        self.init(status: response?.statusCode ?? 0) { response?.value(forHTTPHeaderField: $0) }
    }
}

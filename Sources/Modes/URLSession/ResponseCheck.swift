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

    /// Whether the origin says that the version which the request named still holds.
    package static func isUnchanged(_ response: URLResponse?, for request: FetchRequest) -> Bool {
        request.entityTag != nil && (response as? HTTPURLResponse)?.statusCode == 304
    }

    /// The origin's name for the version that it sent, where the request wants to know.
    package static func entityTag(_ response: URLResponse?, for request: FetchRequest) -> String? {
        guard request.wantsEntityTag else { return nil }
        return (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag")
    }
}

extension BodyHead {
    /// What a response of URLSession says; status 0 where it is none of HTTP.
    init(_ response: URLResponse?) {
        let response = response as? HTTPURLResponse
        self.init(status: response?.statusCode ?? 0) { response?.value(forHTTPHeaderField: $0) }
    }
}

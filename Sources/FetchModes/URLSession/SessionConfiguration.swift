// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import FoundationNetworking

extension URLSessionConfiguration {
    /// The configuration of every URLSession mode: nothing is cached, no cookie is kept, time-outs are whole seconds
    /// (a fraction of one fails at once on this platform).
    static func forTrial(_ settings: FetchSettings) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = Double(settings.idleTimeoutSeconds)
        return configuration
    }
}

extension URLRequest {
    /// The request of a trial, which asks for the body as it is: gzip would be another body.
    init(_ request: FetchRequest) {
        self.init(url: request.url)
        httpMethod = request.method.rawValue
        setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }
}

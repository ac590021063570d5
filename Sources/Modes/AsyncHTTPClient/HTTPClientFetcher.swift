// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOModes
import TrialKit

/// Fetches with the async function of AsyncHTTPClient.
final class HTTPClientFetcher: Fetcher, HTTPClientOwner {
    /// Reads the body of a response whose status was checked.
    typealias Take = @Sendable (HTTPClientResponse, FetchRequest) async throws -> FetchedBody

    let client: HTTPClient
    private let settings: FetchSettings
    private let take: Take

    init(_ settings: FetchSettings, take: @escaping Take) {
        client = .forTrial(settings)
        self.settings = settings
        self.take = take
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        return try await Cancellation.observed(request) { () async throws(FetchFailure) in try await perform(request) }
    }

    private func perform(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let response: HTTPClientResponse
        do {
            response = try await client.answer(to: request, settings)
        } catch {
            throw FetchFailure(ofHTTPClient: error, afterHead: false)
        }
        let status = Int(response.status.code)
        try StatusCheck.check(status, resuming: request.resumption)
        guard request.method == .get else { return try BodyHead(response).body(of: request) }
        do {
            let body = try await take(response, request)
            // The sequence of a cancelled task ends without an error.
            try Cancellation.check()
            guard body.byteCount > 0 else { throw FetchFailure(.emptyBody, "status \(status), no byte") }
            return body
        } catch {
            throw FetchFailure(ofHTTPClient: error, afterHead: true)
        }
    }
}

extension HTTPClientRequest {
    init(_ chain: RedirectChain, _ settings: FetchSettings) {
        self.init(url: chain.request.url.absoluteString)
        method = .init(of: chain.request, carrying: chain.target)
        headers = .init(of: chain, settings)
        if let bytes = chain.target?.body { body = .bytes(bytes, length: .known(Int64(bytes.count))) }
    }
}

extension BodyHead {
    init(_ response: HTTPClientResponse) {
        self.init(status: Int(response.status.code)) { response.headers.first(name: $0) }
    }
}

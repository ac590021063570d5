// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOModes
import TrialKit

/// Relays bodies buffer by buffer with AsyncHTTPClient; a full sink holds the origin up.
final class HTTPClientRelay: Relay, HTTPClientOwner {
    let remark: String? = nil
    let client: HTTPClient
    private let settings: FetchSettings

    init(_ settings: FetchSettings) {
        client = .forTrial(settings)
        self.settings = settings
    }

    func relay(_ request: FetchRequest, to sink: any BodySink) async throws(FetchFailure) {
        try SchemeCheck.check(request.url)
        let response: HTTPClientResponse
        do {
            response = try await client.answer(to: request, settings)
        } catch {
            throw FetchFailure(ofHTTPClient: error, afterHead: false)
        }
        do {
            try StatusCheck.check(Int(response.status.code))
            try await sink.begin(byteCount: length(of: response))
            for try await buffer in response.body { try await sink.send(buffer) }
        } catch {
            throw FetchFailure(ofHTTPClient: error, afterHead: true)
        }
    }

    /// The length of the relayed body; unknown if it is decoded on the way.
    private func length(of response: HTTPClientResponse) -> Int? {
        guard !settings.acceptsGzip else { return nil }
        return response.headers.first(name: "Content-Length").flatMap { Int($0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOModes
import NIOSSL
import TrialKit

extension HTTPClient.Configuration {
    /// The library's default configuration with the trial's settings; it follows five redirects and no cycles.
    static func forTrial(_ settings: FetchSettings) -> HTTPClient.Configuration {
        let idle = TimeAmount.seconds(Int64(settings.idleTimeoutSeconds))
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: .forTrial(settings), timeout: .init(connect: idle, read: idle),
            decompression: settings.acceptsGzip ? .enabled(limit: .none) : .disabled)
        // Otherwise a refused connection is retried until the time-out.
        configuration.connectionPool.retryConnectionEstablishment = false
        // The library forwards fields to other origins unless it knows their names to be secret.
        if settings.target != nil { configuration.redirectConfiguration = .disallow }
        if let maximum = settings.maximumConnectionsPerHost {
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = maximum
        }
        return configuration
    }
}

extension HTTPClient {
    /// A client on the shared default event loops: one thread per core.
    static func forTrial(_ settings: FetchSettings) -> HTTPClient {
        HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: .forTrial(settings))
    }

    /// Returns the response after all redirects, which are followed here if the request carries the user's details.
    func answer(to request: FetchRequest, _ settings: FetchSettings) async throws -> HTTPClientResponse {
        var chain = RedirectChain(request, settings, atMost: RedirectChain.usualLimit)
        while true {
            // The trial limits the duration of the whole fetch.
            let response = try await execute(HTTPClientRequest(chain, settings), deadline: .distantFuture)
            guard settings.target != nil,
                try chain.follow(status: Int(response.status.code), location: response.headers.first(name: "Location"))
            else { return response }
        }
    }
}

extension RedirectChain {
    /// The library's own limit.
    static let usualLimit = 5
}

extension HTTPHeaders {
    init(of chain: RedirectChain, _ settings: FetchSettings) {
        let fields = chain.request.fields(acceptingGzip: settings.acceptsGzip, carrying: chain.target)
        self.init(fields.map { ($0.name, $0.value) })
    }
}

/// A fetcher or a relay that owns a client and shuts it down.
protocol HTTPClientOwner {
    var client: HTTPClient { get }
}

extension HTTPClientOwner {
    func invalidate() async {
        // Fails only if it was shut down before.
        try? await client.shutdown()
    }
}

// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOModes
import NIOSSL
import TrialKit

extension HTTPClient.Configuration {
    /// The configuration of every mode on AsyncHTTPClient: its own, but for what a trial sets.
    ///
    /// Five redirects are followed and cycles are not, which is the library's default.
    static func forTrial(_ settings: FetchSettings) -> HTTPClient.Configuration {
        let idle = TimeAmount.seconds(Int64(settings.idleTimeoutSeconds))
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: .forTrial(settings), timeout: .init(connect: idle, read: idle),
            decompression: settings.acceptsGzip ? .enabled(limit: .none) : .disabled)
        // Otherwise a refused connection is tried again and again until the time-out.
        configuration.connectionPool.retryConnectionEstablishment = false
        // By itself the library takes fields to other origins whose names it does not know to be secret.
        if settings.target != nil { configuration.redirectConfiguration = .disallow }
        if let maximum = settings.maximumConnectionsPerHost {
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = maximum
        }
        return configuration
    }
}

extension HTTPClient {
    /// The one client of a fetcher, on the event loops that clients share by default: a thread for each core.
    static func forTrial(_ settings: FetchSettings) -> HTTPClient {
        HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: .forTrial(settings))
    }

    /// The answer to a request, after all redirects: the library follows them, unless it carries something of a user's.
    func answer(to request: FetchRequest, _ settings: FetchSettings) async throws -> HTTPClientResponse {
        var chain = RedirectChain(request, settings, atMost: RedirectChain.usualLimit)
        while true {
            // How long a whole fetch may take is the trial's to decide.
            let response = try await execute(HTTPClientRequest(chain, settings), deadline: .distantFuture)
            guard settings.target != nil,
                try chain.follow(status: Int(response.status.code), location: response.headers.first(name: "Location"))
            else { return response }
        }
    }
}

extension RedirectChain {
    /// As many as the library follows by itself.
    static let usualLimit = 5
}

extension HTTPHeaders {
    /// The header fields of a trial's request.
    init(of chain: RedirectChain, _ settings: FetchSettings) {
        let fields = chain.request.fields(acceptingGzip: settings.acceptsGzip, carrying: chain.target)
        self.init(fields.map { ($0.name, $0.value) })
    }
}

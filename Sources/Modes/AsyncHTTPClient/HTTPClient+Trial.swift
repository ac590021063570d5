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
}

extension HTTPHeaders {
    /// The header fields of a trial's request.
    init(of request: FetchRequest, _ settings: FetchSettings) {
        self.init(request.fields(acceptingGzip: settings.acceptsGzip).map { ($0.name, $0.value) })
    }
}

// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOModes
import NIOSSL
package import TrialKit

final class HTTPClientFetcher: Fetcher, HTTPClientOwner {
    typealias Take = @Sendable (HTTPClientResponse, FetchRequest) async throws -> FetchedBody

    let client: HTTPClient
    private let settings: FetchSettings
    private let take: Take

    init(_ settings: FetchSettings, take: @escaping Take) {
        client = .forTrial(settings)
        (self.settings, self.take) = (settings, take)
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
        try StatusCheck.check(Int(response.status.code), resuming: request.resumption)
        guard request.method == .get else { return try BodyHead(response).body(of: request) }
        do {
            let body = try await take(response, request)
            // The sequence of a cancelled task ends without an error.
            try Cancellation.check()
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

extension HTTPClient.Configuration {
    /// The library's default configuration with the trial's settings; it follows five redirects and no cycles.
    static func forTrial(_ settings: FetchSettings) -> HTTPClient.Configuration {
        let idle = TimeAmount.seconds(Int64(settings.idleTimeoutSeconds))
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: .forTrial(settings), timeout: .init(connect: idle, read: idle),
            decompression: settings.acceptsGzip ? .enabled(limit: .none) : .disabled)
        // Otherwise a refused connection is retried until the time-out.
        configuration.connectionPool.retryConnectionEstablishment = false
        if settings.http == .http1Only { configuration.httpVersion = .http1Only }
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

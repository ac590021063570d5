// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

extension ProbeCatalog {
    static let http = [
        Probe("redirects") { try whole($0, "/faults/redirect/5") },
        Probe("redirect-loop") { try whole($0, "/faults/redirect-loop") },
        Probe("redirects-ahc") { try await whole($0, "/faults/redirect/5", max: 5) },
        Probe("redirect-loop-ahc") { try await whole($0, "/faults/redirect-loop", max: 5) },
        Probe("unauthorized") { try unauthorized($0) },
        Probe("unauthorized-ahc") { try await whole($0, "/faults/status/401", max: 5) },
        Probe("identity-encoding") { try identity($0) },
        Probe("encoding-unasked") { try whole($0, "/text/64KiB?encoding=gzip") },
        Probe("tight-header") { try whole($0, "/faults/tight-header") },
        Probe("tight-header-ahc") { try await whole($0, "/faults/tight-header", max: 5) },
        Probe("websocket") { try webSocket($0) },
    ]

    /// Waits for more than twice the request time-out, and then makes another request.
    private static func unauthorized(_ context: ProbeContext) throws {
        let session = URLSession.plain { $0.timeoutIntervalForRequest = 2 }
        let request = URLRequest(url: try context.url("/faults/status/401"))
        if fetch(context, session, request, within: 5) { return }
        context.mark("after-5-s")
        fetch(context, session, URLRequest(url: try context.url("/bytes/1KiB")), as: "other-", within: 5)
    }

    private static func identity(_ context: ProbeContext) throws {
        var request = URLRequest(url: try context.url("/bytes/1KiB"))
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        fetch(context, .plain(), request)
    }

    private static func webSocket(_ context: ProbeContext) throws {
        guard let url = URL(string: "ws" + context.origin.dropFirst(4) + "/bytes/1KiB") else {
            throw ProbeError("the origin's address makes no URL")
        }
        let end = Signal()
        if let platform = LoadedLibraries.toolchainPlatform { context.report("toolchain-platform", platform) }
        if let libcurl = LoadedLibraries.libcurl { context.report("libcurl", libcurl) }
        let session = URLSession.plain()
        let task = session.webSocketTask(with: url)
        task.resume()
        task.receive { result in
            if case .failure(let error) = result { context.report(error: error) }
            end.give()
        }
        end.take()
    }

    /// A URLProtocol of the application, which serves requests without the origin.
    static let customProtocols = [
        Probe("custom-protocol-data") { context in
            try ask(context, .plain(), "/bytes/1KiB")
            let end = Signal()
            served.dataTask(with: try context.url("/bytes/2KiB")) { data, _, error in
                context.report("delivered", data?.count ?? 0)
                context.report(error: error)
                end.give()
            }.resume()
            end.take()
        },
        Probe("custom-protocol-download") { context in
            try ask(context, .plain(), "/bytes/1KiB")
            let end = Signal()
            served.downloadTask(with: try context.url("/bytes/2KiB")) { location, _, error in
                let data = location.flatMap { try? Data(contentsOf: $0) }
                context.report("delivered", data?.count ?? 0)
                context.report(error: error)
                end.give()
            }.resume()
            end.take()
        },
        Probe("custom-protocol-download-delegate") { context in
            try ask(context, .plain(), "/bytes/1KiB")
            let end = Signal()
            let delegate = ProbeDownloadDelegate(
                onFile: { location in
                    context.report("delivered", (try? Data(contentsOf: location))?.count ?? 0)
                },
                onEnd: context.reporting(end))
            let session = URLSession.plain(delegate: delegate) { $0.protocolClasses = [ServingProtocol.self] }
            session.downloadTask(with: try context.url("/bytes/2KiB")).resume()
            end.take()
        },
    ]

    private static var served: URLSession { .plain { $0.protocolClasses = [ServingProtocol.self] } }
}

private final class ServingProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("by hand".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

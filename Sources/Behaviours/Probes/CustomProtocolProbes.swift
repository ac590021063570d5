// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

extension ProbeCatalog {
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

/// A protocol that answers every request with 7 bytes.
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

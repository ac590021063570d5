// SPDX-License-Identifier: Apache-2.0

extension MinimalProgram {
    /// Settings of a session, and protocols of an application.
    static let sessions = [
        MinimalProgram(
            "request-timeout-zero",
            source: #"""
                import Foundation
                import FoundationNetworking

                /// Makes one request, and returns its error code, or 0.
                func ask(_ session: URLSession, _ path: String) -> Int {
                    let end = DispatchSemaphore(value: 0)
                    var code = 0
                    session.dataTask(with: URL(string: CommandLine.arguments[1] + path)!) { _, _, error in
                        code = (error as NSError?)?.code ?? 0
                        end.signal()
                    }.resume()
                    end.wait()
                    return code
                }

                // The server answers: what follows does not depend on the connection.
                guard ask(URLSession(configuration: .ephemeral), "/bytes/1KiB") == 0 else { exit(2) }
                let configuration = URLSessionConfiguration.ephemeral
                configuration.timeoutIntervalForRequest = 0
                // The answer takes 1 s.
                let code = ask(URLSession(configuration: configuration), "/bytes/2KiB?delay=1000")
                print("expected: no time-out, or the one by default; got: \(code == 0 ? "an answer" : "error \(code)")")
                exit(code == 0 ? 0 : 1)

                """#),
        MinimalProgram(
            "configuration-shown",
            source: #"""
                import Foundation
                import FoundationNetworking

                /// Makes one request, and returns its error code, or 0.
                func ask(_ session: URLSession, _ path: String) -> Int {
                    let end = DispatchSemaphore(value: 0)
                    var code = 0
                    session.dataTask(with: URL(string: CommandLine.arguments[1] + path)!) { _, _, error in
                        code = (error as NSError?)?.code ?? 0
                        end.signal()
                    }.resume()
                    end.wait()
                    return code
                }

                let session = URLSession(configuration: .ephemeral)
                // The session has a copy of its configuration, and shows one: no change of it changes the session.
                session.configuration.timeoutIntervalForRequest = 1
                let code = ask(session, "/bytes/1KiB?delay=3000")
                print("expected: an answer after 3 s; got: \(code == 0 ? "an answer" : "error \(code)")")
                exit(code == 0 ? 0 : 1)

                """#),
        MinimalProgram(
            "proxy-dictionary",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var status = 0
                let origin = URLComponents(string: CommandLine.arguments[1])!
                let configuration = URLSessionConfiguration.ephemeral
                configuration.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": origin.port!]
                let session = URLSession(configuration: configuration)
                var proxied = origin
                // Nothing listens at port 1; the origin answers whatever it is asked as a proxy.
                proxied.port = 1
                for (url, path) in [(origin, "/bytes/1KiB"), (proxied, "/bytes/2KiB")] {
                    session.dataTask(with: URL(string: url.string! + path)!) { _, response, _ in
                        status = (response as? HTTPURLResponse)?.statusCode ?? 0
                        end.signal()
                    }.resume()
                    end.wait()
                }
                print("expected: an answer of the proxy; got: \(status == 0 ? "none" : "status \(status)")")
                exit(status == 0 ? 1 : 0)

                """#),
        MinimalProgram(
            "cookies-kept-max-age",
            source: #"""
                import Foundation
                import FoundationNetworking

                /// Makes one request, and returns its error code, or 0.
                func ask(_ session: URLSession, _ path: String) -> Int {
                    let end = DispatchSemaphore(value: 0)
                    var code = 0
                    session.dataTask(with: URL(string: CommandLine.arguments[1] + path)!) { _, _, error in
                        code = (error as NSError?)?.code ?? 0
                        end.signal()
                    }.resume()
                    end.wait()
                    return code
                }

                let url = URL(string: CommandLine.arguments[1])!
                _ = ask(URLSession(configuration: .ephemeral), "/bytes/1KiB")
                // Effects of response headers on a session.
                let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "kept=1; Max-Age=3600"], for: url)
                let isKept = cookies.first.map { $0.expiresDate != nil && !$0.isSessionOnly } ?? false
                print("expected: a cookie with a date of expiry; got: \(isKept ? "one" : "a cookie of the session alone")")
                exit(isKept ? 0 : 1)

                """#),
        MinimalProgram(
            "caches-ephemeral",
            source: #"""
                import Foundation
                import FoundationNetworking

                /// Makes one request, and returns its error code, or 0.
                func ask(_ session: URLSession, _ path: String) -> Int {
                    let end = DispatchSemaphore(value: 0)
                    var code = 0
                    session.dataTask(with: URL(string: CommandLine.arguments[1] + path)!) { _, _, error in
                        code = (error as NSError?)?.code ?? 0
                        end.signal()
                    }.resume()
                    end.wait()
                    return code
                }

                let session = URLSession(configuration: .ephemeral)
                // Answered with Cache-Control: max-age=60.
                let path = "/bytes/64KiB?cache=60&seed=\(UInt32.random(in: 1 ... .max))"
                for _ in 0..<5 { _ = ask(session, path) }
                let request = URLRequest(url: URL(string: CommandLine.arguments[1] + path)!)
                let isStored = session.configuration.urlCache?.cachedResponse(for: request) != nil
                print("expected: the response is stored in the session's URLCache; got: \(isStored ? "stored" : "not stored")")
                exit(isStored ? 0 : 1)

                """#),
        MinimalProgram(
            "custom-protocol-download",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Served: URLProtocol {
                    override class func canInit(with request: URLRequest) -> Bool { request.url!.path.hasSuffix("/2KiB") }
                    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
                    override func startLoading() {
                        let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: [:])!
                        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
                        client?.urlProtocol(self, didLoad: Data("by hand".utf8))
                        client?.urlProtocolDidFinishLoading(self)
                    }
                    override func stopLoading() {}
                }

                let end = DispatchSemaphore(value: 0)
                let configuration = URLSessionConfiguration.ephemeral
                configuration.protocolClasses = [Served.self] + (configuration.protocolClasses ?? [])
                let session = URLSession(configuration: configuration)
                var count = 0
                // The first one is answered by the origin, the second one by the protocol.
                for path in ["/bytes/1KiB", "/bytes/2KiB"] {
                    session.downloadTask(with: URL(string: CommandLine.arguments[1] + path)!) { location, _, _ in
                        count = location.flatMap { try? Data(contentsOf: $0) }?.count ?? 0
                        end.signal()
                    }.resume()
                    _ = end.wait(timeout: .now() + 5)
                }
                print("expected: a file with the protocol's 7 bytes; got: \(count) bytes")
                exit(count == 7 ? 0 : 1)

                """#),
        MinimalProgram(
            "custom-protocol-download-delegate",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Served: URLProtocol {
                    override class func canInit(with request: URLRequest) -> Bool { request.url!.path.hasSuffix("/2KiB") }
                    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
                    override func startLoading() {
                        let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: [:])!
                        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
                        client?.urlProtocol(self, didLoad: Data("by hand".utf8))
                        client?.urlProtocolDidFinishLoading(self)
                    }
                    override func stopLoading() {}
                }

                final class Delegate: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
                    let end = DispatchSemaphore(value: 0)
                    var count = 0
                    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo file: URL) {
                        count = (try? Data(contentsOf: file))?.count ?? 0
                    }
                    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                        end.signal()
                    }
                }

                let delegate = Delegate()
                let configuration = URLSessionConfiguration.ephemeral
                configuration.protocolClasses = [Served.self] + (configuration.protocolClasses ?? [])
                let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
                for path in ["/bytes/1KiB", "/bytes/2KiB"] {
                    session.downloadTask(with: URL(string: CommandLine.arguments[1] + path)!).resume()
                    _ = delegate.end.wait(timeout: .now() + 5)
                }
                print("expected: a file with the protocol's 7 bytes; got: \(delegate.count) bytes")
                exit(delegate.count == 7 ? 0 : 1)

                """#),
    ]
}

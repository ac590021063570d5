// SPDX-License-Identifier: Apache-2.0

extension MinimalProgram {
    /// Answers that a client has to understand.
    static let answers = [
        MinimalProgram(
            "unauthorized",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var status = 0
                let configuration = URLSessionConfiguration.ephemeral
                configuration.timeoutIntervalForRequest = 2
                let url = URL(string: CommandLine.arguments[1] + "/faults/status/401")!
                URLSession(configuration: configuration).dataTask(with: url) { _, response, _ in
                    status = (response as? HTTPURLResponse)?.statusCode ?? 0
                    end.signal()
                }.resume()
                let isCalled = end.wait(timeout: .now() + 5) == .success
                print("expected: the handler is called with status 401; got: \(isCalled ? "status \(status)" : "no call in 5 s")")
                exit(isCalled && status == 401 ? 0 : 1)

                """#),
        MinimalProgram(
            "tight-header",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var seen = ""
                // A response whose header lines have no space after the colon.
                let url = URL(string: CommandLine.arguments[1] + "/faults/tight-header")!
                URLSession(configuration: .ephemeral).dataTask(with: url) { data, _, error in
                    seen = error.map { "error \(($0 as NSError).code)" } ?? "\(data?.count ?? 0) bytes"
                    end.signal()
                }.resume()
                end.wait()
                print("expected: 3 bytes; got: \(seen)")
                exit(seen == "3 bytes" ? 0 : 1)

                """#),
        MinimalProgram(
            "short-body-code",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var code = 0
                // 16 KiB of the 64 KiB that Content-Length promises.
                let url = URL(string: CommandLine.arguments[1] + "/faults/short?size=64KiB&sent=16KiB")!
                URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, error in
                    code = (error as NSError?)?.code ?? 0
                    end.signal()
                }.resume()
                end.wait()
                print("expected: the error -1005, networkConnectionLost; got: \(code)")
                exit(code == -1005 ? 0 : 1)

                """#),
        MinimalProgram(
            "websocket",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var code = 0
                // The origin speaks no WebSocket; a client that does asks it for an upgrade nevertheless.
                let url = URL(string: "ws" + CommandLine.arguments[1].dropFirst(4) + "/bytes/1KiB")!
                let task = URLSession(configuration: .ephemeral).webSocketTask(with: url)
                task.resume()
                task.receive { result in
                    if case .failure(let error) = result { code = (error as NSError).code }
                    end.signal()
                }
                end.wait()
                print("expected: another error than -1002, unsupportedURL; got: \(code)")
                exit(code == -1002 ? 1 : 0)

                """#),
    ]
}

extension MinimalProgram {
    /// Answers and URLs as they occur in the wild.
    static let answerForms = [
        body(
            "trailer", "A chunked answer with a trailer field.", of: #"CommandLine.arguments[1] + "/faults/trailer""#,
            expected: "3 bytes"),
        body(
            "bare-lf", "An answer whose lines end with a line feed alone.",
            of: #"CommandLine.arguments[1] + "/faults/bare-lf""#, expected: "3 bytes"),
        MinimalProgram(
            "cut-gzip",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var seen = "an error"
                // The first half of a body in gzip, without a length.
                let url = URL(string: CommandLine.arguments[1] + "/faults/cut-gzip")!
                URLSession(configuration: .ephemeral).dataTask(with: url) { data, _, error in
                    if error == nil { seen = "\(data?.count ?? 0) bytes as if whole" }
                    end.signal()
                }.resume()
                end.wait()
                print("expected: an error; got: \(seen)")
                exit(seen == "an error" ? 0 : 1)

                """#),
        body(
            "scheme-upper-case", "The usual URL, and the same with its scheme in capitals.",
            of: #""HTTP" + CommandLine.arguments[1].dropFirst(4) + "/bytes/2KiB""#, expected: "2048 bytes"),
        body(
            "short-address", "The usual URL, and the same with a short form of the address.",
            of: #"CommandLine.arguments[1].replacingOccurrences(of: "127.0.0.1", with: "127.1") + "/bytes/2KiB""#,
            expected: "2048 bytes"),
        body(
            "ipv6-literal", "An IPv6 address at which nothing listens: it cannot connect, -1004.",
            of: #"CommandLine.arguments[1].replacingOccurrences(of: "127.0.0.1", with: "[::1]") + "/bytes/2KiB""#,
            expected: "error -1004"),
        MinimalProgram(
            "redirect-authorization",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                let origin = CommandLine.arguments[1]
                // The two names of this machine are two hosts to a client.
                let other = origin.replacingOccurrences(of: "127.0.0.1", with: "localhost")
                var request = URLRequest(url: URL(string: origin + "/redirect/302?to=\(other)/bytes/1KiB")!)
                request.setValue("Bearer 0123456789", forHTTPHeaderField: "Authorization")
                let session = URLSession(configuration: .ephemeral)
                session.dataTask(with: request) { _, _, _ in end.signal() }.resume()
                end.wait()
                // The origin's log of the requests at the other host.
                var log = ""
                session.dataTask(with: URL(string: origin + "/requests?path=/bytes/1KiB")!) { data, _, _ in
                    log = String(decoding: data ?? Data(), as: UTF8.self).lowercased()
                    end.signal()
                }.resume()
                end.wait()
                let isSent = log.contains("\"authorization\"")
                print("expected: no Authorization at localhost; got: \(isSent ? "the field" : "none")")
                exit(isSent ? 1 : 0)

                """#),
        MinimalProgram(
            "credential-storage",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var status = 0
                let url = URL(string: CommandLine.arguments[1] + "/auth/basic")!
                let space = URLProtectionSpace(
                    host: url.host!, port: url.port!, protocol: "http", realm: "fetchbench",
                    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
                let credential = URLCredential(user: "user", password: "password", persistence: .forSession)
                URLCredentialStorage.shared.setDefaultCredential(credential, for: space)
                URLSession(configuration: .default).dataTask(with: url) { _, response, _ in
                    status = (response as? HTTPURLResponse)?.statusCode ?? 0
                    end.signal()
                }.resume()
                let isCalled = end.wait(timeout: .now() + 5) == .success
                print("expected: status 200; got: \(isCalled ? "status \(status)" : "no call in 5 s")")
                exit(status == 200 ? 0 : 1)

                """#),
    ]

    /// Connections over TLS; the second argument is the base URL of an origin whose authority is not the system's.
    static let tls = [
        MinimalProgram(
            "server-trust",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Delegate: NSObject, URLSessionDelegate, URLSessionTaskDelegate {
                    nonisolated(unsafe) static var asked = 0
                    func urlSession(
                        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
                        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
                    ) {
                        Self.asked += 1
                        completionHandler(.useCredential, nil)
                    }
                }

                let end = DispatchSemaphore(value: 0)
                let session = URLSession(configuration: .ephemeral, delegate: Delegate(), delegateQueue: nil)
                // The origin without TLS, and with a certificate that the system does not trust.
                for base in [CommandLine.arguments[1], CommandLine.arguments[2]] {
                    session.dataTask(with: URL(string: base + "/bytes/2KiB")!) { _, _, _ in end.signal() }.resume()
                    end.wait()
                }
                print("expected: the delegate is asked; got: \(Delegate.asked) calls")
                exit(Delegate.asked > 0 ? 0 : 1)

                """#),
        MinimalProgram(
            "untrusted-code",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var code = 0
                // The origin without TLS, and with a certificate that the system does not trust.
                for base in [CommandLine.arguments[1], CommandLine.arguments[2]] {
                    let url = URL(string: base + "/bytes/2KiB")!
                    URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, error in
                        code = (error as NSError?)?.code ?? 0
                        end.signal()
                    }.resume()
                    end.wait()
                }
                print("expected: the error -1202, serverCertificateUntrusted; got: \(code)")
                exit(code == -1202 ? 0 : 1)

                """#),
    ]

    /// A program that fetches a URL, after the usual one has shown that the origin answers.
    private static func body(_ row: String, _ comment: String, of url: String, expected: String) -> MinimalProgram {
        MinimalProgram(
            row,
            source: """
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var seen = ""
                // \(comment)
                for text in [CommandLine.arguments[1] + "/bytes/1KiB", \(url)] {
                    URLSession(configuration: .ephemeral).dataTask(with: URL(string: text)!) { data, _, error in
                        seen = error.map { "error \\(($0 as NSError).code)" } ?? "\\(data?.count ?? 0) bytes"
                        end.signal()
                    }.resume()
                    end.wait()
                }
                print("expected: \(expected); got: \\(seen)")
                exit(seen == "\(expected)" ? 0 : 1)

                """)
    }
}

// SPDX-License-Identifier: Apache-2.0

extension MinimalProgram {
    static let challenges = [
        MinimalProgram(
            "digest-challenge",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Delegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
                    func urlSession(
                        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
                        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
                    ) {
                        let isFirst = challenge.previousFailureCount == 0
                        let credential = URLCredential(user: "user", password: "password", persistence: .none)
                        completionHandler(isFirst ? .useCredential : .cancelAuthenticationChallenge, isFirst ? credential : nil)
                    }
                }

                let end = DispatchSemaphore(value: 0)
                var status = 0
                let url = URL(string: CommandLine.arguments[1] + "/auth/digest")!
                let session = URLSession(configuration: .ephemeral, delegate: Delegate(), delegateQueue: nil)
                session.dataTask(with: url) { _, response, _ in
                    status = (response as? HTTPURLResponse)?.statusCode ?? 0
                    end.signal()
                }.resume()
                end.wait()
                print("expected: status 200, as the delegate answers the challenge; got: status \(status)")
                exit(status == 200 ? 0 : 1)

                """#),
        MinimalProgram(
            "redirect-307-body",
            source: #"""
                import Foundation
                import FoundationNetworking

                struct Sunk: Decodable { var bytes: Int }

                let end = DispatchSemaphore(value: 0)
                var received: Int?
                var request = URLRequest(url: URL(string: CommandLine.arguments[1] + "/redirect/307?to=/sink")!)
                request.httpMethod = "POST"
                request.httpBody = Data(repeating: 65, count: 10_000)
                // The target answers with the number of bytes that it received: {"bytes":…}
                URLSession(configuration: .ephemeral).dataTask(with: request) { data, _, _ in
                    received = data.flatMap { try? JSONDecoder().decode(Sunk.self, from: $0) }?.bytes
                    end.signal()
                }.resume()
                end.wait()
                print("expected: 10000 bytes at the target; got: \(received.map { "\($0) bytes" } ?? "no POST")")
                exit(received == 10_000 ? 0 : 1)

                """#),
        MinimalProgram(
            "redirect-308-body",
            source: #"""
                import Foundation
                import FoundationNetworking

                struct Sunk: Decodable { var bytes: Int }

                let end = DispatchSemaphore(value: 0)
                var received: Int?
                var request = URLRequest(url: URL(string: CommandLine.arguments[1] + "/redirect/308?to=/sink")!)
                request.httpMethod = "POST"
                request.httpBody = Data(repeating: 65, count: 10_000)
                // The target answers with the number of bytes that it received: {"bytes":…}
                URLSession(configuration: .ephemeral).dataTask(with: request) { data, _, _ in
                    received = data.flatMap { try? JSONDecoder().decode(Sunk.self, from: $0) }?.bytes
                    end.signal()
                }.resume()
                end.wait()
                print("expected: 10000 bytes at the target; got: \(received.map { "\($0) bytes" } ?? "no POST")")
                exit(received == 10_000 ? 0 : 1)

                """#),
        MinimalProgram(
            "redirect-cookie-delegate",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Delegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
                    func urlSession(
                        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
                    ) {
                        completionHandler(request)
                    }
                }

                let end = DispatchSemaphore(value: 0)
                let url = URL(string: CommandLine.arguments[1] + "/redirect/302?to=/bytes/1KiB&cookie=moved")!
                let session = URLSession(configuration: .ephemeral, delegate: Delegate(), delegateQueue: nil)
                let task = session.dataTask(with: url) { _, _, _ in end.signal() }
                task.resume()
                end.wait()
                let cookie = task.currentRequest?.value(forHTTPHeaderField: "Cookie")
                print("expected: the redirected request has the cookie of the 302; got: \(cookie ?? "no cookie")")
                exit(cookie == nil ? 1 : 0)

                """#),
    ]
}

extension MinimalProgram {
    /// A request on a kept connection that is lost; it needs a server of its own.
    static let lostConnections = [
        MinimalProgram(
            "post-kept-connection",
            source: #"""
                import Foundation
                import FoundationNetworking

                // A server that answers its first request, and closes the connection when the second one has arrived.
                let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
                (address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), UInt32(0x7f00_0001).bigEndian)
                withUnsafeMutablePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        _ = (bind(listener, $0, length), listen(listener, 8), getsockname(listener, $0, &length))
                    }
                }
                var again = "nothing more"
                Thread.detachNewThread {
                    func read(_ connection: Int32) -> String {
                        var bytes = [UInt8](repeating: 0, count: 4096)
                        let count = recv(connection, &bytes, bytes.count, 0)
                        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                    }
                    let (kept, answer) = (accept(listener, nil, nil), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                    _ = (read(kept), send(kept, answer, answer.utf8.count, 0))
                    while !read(kept).hasSuffix("order") {}
                    close(kept)
                    let second = accept(listener, nil, nil)
                    sleep(1)
                    again = read(second).hasSuffix("order") ? "the POST again" : "the POST again, without its body"
                }
                let configuration = URLSessionConfiguration.ephemeral
                configuration.timeoutIntervalForRequest = 2
                let session = URLSession(configuration: configuration)
                var server = URLComponents(string: CommandLine.arguments[1] + "/bytes/1KiB")!
                for method in ["GET at the origin", "GET", "POST"] {
                    let end = DispatchSemaphore(value: 0)
                    var request = URLRequest(url: server.url!)
                    if method == "POST" { (request.httpMethod, request.httpBody) = (method, Data("order".utf8)) }
                    session.dataTask(with: request) { _, _, _ in end.signal() }.resume()
                    end.wait()
                    server.port = Int(UInt16(bigEndian: address.sin_port))
                }
                print("expected: nothing more is sent after the lost POST; got: \(again)")
                exit(again == "nothing more" ? 0 : 1)

                """#)
    ]
}

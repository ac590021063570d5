// SPDX-License-Identifier: Apache-2.0

extension MinimalProgram {
    /// Challenges and redirects.
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

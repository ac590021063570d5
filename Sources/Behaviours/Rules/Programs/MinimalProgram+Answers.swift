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

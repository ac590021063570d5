// SPDX-License-Identifier: Apache-2.0

extension MinimalProgram {
    /// Silent and slow origins.
    static let timeouts = [
        MinimalProgram(
            "request-timeout-granularity",
            source: #"""
                import Foundation
                import FoundationNetworking

                func seconds(toTimeOutOf timeout: Double) -> Double {
                    let end = DispatchSemaphore(value: 0)
                    let configuration = URLSessionConfiguration.ephemeral
                    configuration.timeoutIntervalForRequest = timeout
                    let url = URL(string: CommandLine.arguments[1] + "/faults/silent")!
                    let start = Date()
                    URLSession(configuration: configuration).dataTask(with: url) { _, _, _ in end.signal() }.resume()
                    end.wait()
                    return (Date().timeIntervalSince(start) * 10).rounded() / 10
                }

                let (half, oneAndAHalf) = (seconds(toTimeOutOf: 0.5), seconds(toTimeOutOf: 1.5))
                print("expected: time-outs after 0.5 s and 1.5 s; got: \(half) s and \(oneAndAHalf) s")
                exit((0.4...0.95).contains(half) && (1.4...1.95).contains(oneAndAHalf) ? 0 : 1)

                """#),
        MinimalProgram(
            "resource-timeout",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                let configuration = URLSessionConfiguration.ephemeral
                configuration.timeoutIntervalForResource = 2
                // The body takes 16 s.
                let url = URL(string: CommandLine.arguments[1] + "/bytes/1MiB?rate=64KiB")!
                URLSession(configuration: configuration).dataTask(with: url) { _, _, _ in end.signal() }.resume()
                let hasEnded = end.wait(timeout: .now() + 5) == .success
                print("expected: an error after 2 s; got: \(hasEnded ? "an end" : "still receiving") after 5 s")
                exit(hasEnded ? 0 : 1)

                """#),
        MinimalProgram(
            "request-timeout-queued",
            source: #"""
                import Foundation
                import FoundationNetworking

                let group = DispatchGroup()
                let lock = NSLock()
                var failures = 0
                let configuration = URLSessionConfiguration.ephemeral
                configuration.httpMaximumConnectionsPerHost = 5
                configuration.timeoutIntervalForRequest = 4
                let session = URLSession(configuration: configuration)
                // Each answer takes 2.5 s; the second five have a connection after 2.5 s, and their answers after 5 s.
                let url = URL(string: CommandLine.arguments[1] + "/bytes/16KiB?delay=2500")!
                for _ in 0..<10 {
                    group.enter()
                    session.dataTask(with: url) { _, _, error in
                        lock.withLock { if error != nil { failures += 1 } }
                        group.leave()
                    }.resume()
                }
                group.wait()
                print("expected: 10 tasks of 10 succeed; got: \(failures) failed")
                exit(failures == 0 ? 0 : 1)

                """#),
    ]
}

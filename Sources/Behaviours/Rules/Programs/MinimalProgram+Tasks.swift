// SPDX-License-Identifier: Apache-2.0

extension MinimalProgram {
    /// Tasks: their ends, delegates, dates and bodies.
    static let tasks = [
        MinimalProgram(
            "cancel-download-file",
            source: #"""
                import Foundation
                import FoundationNetworking
                import Glibc

                // A folder of its own for what the download leaves.
                var template = Array("/tmp/left-XXXXXX".utf8CString)
                let folder = String(cString: mkdtemp(&template))
                setenv("TMPDIR", folder, 1)
                let end = DispatchSemaphore(value: 0)
                let url = URL(string: CommandLine.arguments[1] + "/bytes/8MiB?rate=2MiB")!
                let task = URLSession(configuration: .ephemeral).downloadTask(with: url) { _, _, _ in end.signal() }
                task.resume()
                Thread.sleep(forTimeInterval: 0.5)
                task.cancel()
                end.wait()
                Thread.sleep(forTimeInterval: 0.5)
                let files = try! FileManager.default.contentsOfDirectory(atPath: folder).count
                try! FileManager.default.removeItem(atPath: folder)
                print("expected: no file is left of a download that was cancelled; got: \(files)")
                exit(files == 0 ? 0 : 1)

                """#),
        MinimalProgram(
            "cancel-data-with-cache",
            source: #"""
                import Foundation
                import FoundationNetworking
                import Glibc

                let end = DispatchSemaphore(value: 0)
                let url = URL(string: CommandLine.arguments[1] + "/bytes/16KiB")!
                let session = URLSession(configuration: .default)
                session.dataTask(with: url) { _, _, _ in end.signal() }.resume()
                end.wait()
                for batch in 0..<40 {
                    for index in 0..<100 {
                        let task = session.dataTask(with: url) { _, _, _ in end.signal() }
                        task.resume()
                        if batch % 4 > 0 { usleep(UInt32(index % 20 * batch)) }
                        task.cancel()
                    }
                    for _ in 0..<100 { end.wait() }
                }
                print("expected: 4000 tasks end after they were cancelled; got: 4000")

                """#),
        MinimalProgram(
            "cancel-data-shared",
            source: #"""
                import Foundation
                import FoundationNetworking
                import Glibc

                let end = DispatchSemaphore(value: 0)
                let url = URL(string: CommandLine.arguments[1] + "/bytes/16KiB")!
                let session = URLSession.shared
                session.dataTask(with: url) { _, _, _ in end.signal() }.resume()
                end.wait()
                for batch in 0..<40 {
                    for index in 0..<100 {
                        let task = session.dataTask(with: url) { _, _, _ in end.signal() }
                        task.resume()
                        if batch % 4 > 0 { usleep(UInt32(index % 20 * batch)) }
                        task.cancel()
                    }
                    for _ in 0..<100 { end.wait() }
                }
                print("expected: 4000 tasks end after they were cancelled; got: 4000")

                """#),
        MinimalProgram(
            "suspended-timeout",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                let configuration = URLSessionConfiguration.ephemeral
                configuration.timeoutIntervalForRequest = 2
                let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB?delay=1000")!
                let task = URLSession(configuration: configuration).dataTask(with: url) { _, _, _ in end.signal() }
                task.resume()
                Thread.sleep(forTimeInterval: 0.5)
                task.suspend()
                let hasEnded = end.wait(timeout: .now() + 3) == .success
                print("expected: a suspended task waits for 3 s; got: \(hasEnded ? "its end" : "no end")")
                exit(hasEnded ? 1 : 0)

                """#),
        MinimalProgram(
            "task-delegate",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
                    let end = DispatchSemaphore(value: 0)
                    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                        end.signal()
                    }
                }

                let delegate = Delegate()
                let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
                let task = URLSession(configuration: .ephemeral).dataTask(with: url)
                task.delegate = delegate
                task.resume()
                let isTold = delegate.end.wait(timeout: .now() + 3) == .success
                print("expected: the task's delegate is told its end; got: \(isTold ? "told" : "not told in 3 s")")
                exit(isTold ? 0 : 1)

                """#),
        MinimalProgram(
            "task-delegate-async",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Delegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
                    var isAsked = false
                    func urlSession(
                        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
                    ) {
                        isAsked = true
                        completionHandler(request)
                    }
                }

                let delegate = Delegate()
                let request = URLRequest(url: URL(string: CommandLine.arguments[1] + "/faults/redirect/1")!)
                _ = try await URLSession(configuration: .ephemeral).data(for: request, delegate: delegate)
                print("expected: the delegate is asked for the redirect; got: \(delegate.isAsked ? "asked" : "not asked")")
                exit(delegate.isAsked ? 0 : 1)

                """#),
        MinimalProgram(
            "metrics",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
                    let (end, metrics) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                        end.signal()
                    }
                    func urlSession(
                        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
                    ) {
                        self.metrics.signal()
                    }
                }

                let delegate = Delegate()
                let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
                URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil).dataTask(with: url).resume()
                delegate.end.wait()
                let isTold = delegate.metrics.wait(timeout: .now() + 2) == .success
                print("expected: the metrics of a task that has ended; got: \(isTold ? "metrics" : "none in 2 s")")
                exit(isTold ? 0 : 1)

                """#),
        MinimalProgram(
            "earliest-begin-date",
            source: #"""
                import Foundation
                import FoundationNetworking

                /// A date that is marked as deprecated where it has no effect.
                protocol HasDate: AnyObject { var earliestBeginDate: Date? { get set } }
                extension URLSessionTask: HasDate {}

                let end = DispatchSemaphore(value: 0)
                let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
                let task = URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, _ in end.signal() }
                (task as any HasDate).earliestBeginDate = Date(timeIntervalSinceNow: 3)
                task.resume()
                let isEarly = end.wait(timeout: .now() + 2) == .success
                print("expected: no request before 3 s; got: \(isEarly ? "an answer within 2 s" : "none in 2 s")")
                exit(isEarly ? 1 : 0)

                """#),
        MinimalProgram(
            "body-stream-length",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var status = 0
                var request = URLRequest(url: URL(string: CommandLine.arguments[1] + "/sink")!)
                request.httpMethod = "POST"
                request.httpBodyStream = InputStream(data: Data(repeating: 0x78, count: 64 << 10))
                request.setValue("65536", forHTTPHeaderField: "Content-Length")
                // The origin refuses a request that has Transfer-Encoding beside Content-Length, and answers any other.
                let other = URLRequest(url: URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!)
                for request in [other, request] {
                    URLSession(configuration: .ephemeral).dataTask(with: request) { _, response, _ in
                        status = (response as? HTTPURLResponse)?.statusCode ?? 0
                        end.signal()
                    }.resume()
                    end.wait()
                }
                print("expected: status 200 for a body with one length; got: \(status == 0 ? "no answer" : "status \(status)")")
                exit(status == 200 ? 0 : 1)

                """#),
    ]
}

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

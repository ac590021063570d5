// SPDX-License-Identifier: Apache-2.0

extension MinimalProgram {
    /// Consumers that are slow, in a session of their own and beside another one.
    static let slowConsumers = [
        MinimalProgram(
            "back-pressure-data",
            source: #"""
                import Foundation
                import FoundationNetworking
                import Glibc

                /// The highest resident memory until now, in MiB.
                func peak() -> Int {
                    let status = try! String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }!
                    return Int(line.split(whereSeparator: \.isWhitespace)[1])! >> 10
                }
                final class Slow: NSObject, URLSessionDataDelegate, @unchecked Sendable {
                    let first = DispatchSemaphore(value: 0)
                    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                        first.signal()
                        // Does not return: nothing more should be read from the connection.
                        Thread.sleep(forTimeInterval: 60)
                    }
                }

                let delegate = Slow()
                let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
                let before = peak()
                session.dataTask(with: URL(string: CommandLine.arguments[1] + "/bytes/64MiB")!).resume()
                delegate.first.wait()
                Thread.sleep(forTimeInterval: 3)
                let growth = peak() - before
                print("expected: at most 24 MiB more while the delegate has one chunk of 64 MiB; got: \(growth) MiB")
                exit(growth <= 24 ? 0 : 1)

                """#),
        MinimalProgram(
            "back-pressure-download",
            source: #"""
                import Foundation
                import FoundationNetworking
                import Glibc

                /// The highest resident memory until now, in MiB.
                func peak() -> Int {
                    let status = try! String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }!
                    return Int(line.split(whereSeparator: \.isWhitespace)[1])! >> 10
                }
                final class Slow: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
                    let first = DispatchSemaphore(value: 0)
                    func urlSession(
                        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
                        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
                    ) {
                        first.signal()
                        Thread.sleep(forTimeInterval: 60)
                    }
                    func urlSession(_: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}
                }

                let delegate = Slow()
                let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
                let before = peak()
                session.downloadTask(with: URL(string: CommandLine.arguments[1] + "/bytes/64MiB")!).resume()
                delegate.first.wait()
                Thread.sleep(forTimeInterval: 3)
                let growth = peak() - before
                print("expected: at most 24 MiB more while a progress call takes long; got: \(growth) MiB")
                exit(growth <= 24 ? 0 : 1)

                """#),
        MinimalProgram(
            "sessions-independent",
            source: #"""
                import Foundation
                import FoundationNetworking

                /// A queue that lets its producer wait, so that a slow consumer slows the sender.
                final class WaitingQueue: OperationQueue, @unchecked Sendable {
                    let room = DispatchSemaphore(value: 4)
                    override func addOperation(_ block: @escaping @Sendable () -> Void) {
                        room.wait()
                        super.addOperation { [room] in
                            block()
                            room.signal()
                        }
                    }
                }
                final class Slow: NSObject, URLSessionDataDelegate, @unchecked Sendable {
                    let first = DispatchSemaphore(value: 0)
                    var isFirst = true
                    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                        guard isFirst else { return }
                        isFirst = false
                        first.signal()
                        Thread.sleep(forTimeInterval: 4)
                    }
                }

                let (delegate, queue, end) = (Slow(), WaitingQueue(), DispatchSemaphore(value: 0))
                queue.maxConcurrentOperationCount = 1
                let slow = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: queue)
                slow.dataTask(with: URL(string: CommandLine.arguments[1] + "/bytes/64MiB")!).resume()
                delegate.first.wait()
                Thread.sleep(forTimeInterval: 1)
                let start = Date()
                let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
                URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, _ in end.signal() }.resume()
                end.wait()
                let seconds = (Date().timeIntervalSince(start) * 10).rounded() / 10
                print("expected: another session's request takes less than 1 s; got: \(seconds) s")
                exit(seconds < 1 ? 0 : 1)

                """#),
    ]
}

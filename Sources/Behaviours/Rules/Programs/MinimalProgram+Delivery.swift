// SPDX-License-Identifier: Apache-2.0

extension MinimalProgram {
    /// Progress, files and bodies.
    static let delivery = [
        MinimalProgram(
            "progress-data-count",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                let url = URL(string: CommandLine.arguments[1] + "/bytes/2MiB?rate=1MiB")!
                let task = URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, _ in end.signal() }
                task.resume()
                Thread.sleep(forTimeInterval: 1)
                let midway = task.countOfBytesReceived
                end.wait()
                Thread.sleep(forTimeInterval: 0.5)
                let final = task.countOfBytesReceived
                print("expected: countOfBytesReceived > 0 midway, 2097152 at the end; got: \(midway), \(final)")
                exit(midway > 0 && final == 2_097_152 ? 0 : 1)

                """#),
        MinimalProgram(
            "progress-data-object",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                let url = URL(string: CommandLine.arguments[1] + "/bytes/2MiB?rate=1MiB")!
                let task = URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, _ in end.signal() }
                task.resume()
                Thread.sleep(forTimeInterval: 1)
                let midway = task.progress.fractionCompleted
                end.wait()
                Thread.sleep(forTimeInterval: 0.5)
                let final = task.progress.fractionCompleted
                print("expected: progress.fractionCompleted > 0 midway, 1.0 at the end; got: \(midway), \(final)")
                exit(midway > 0 && final == 1 ? 0 : 1)

                """#),
        MinimalProgram(
            "temporary-file",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var file: URL?
                let url = URL(string: CommandLine.arguments[1] + "/bytes/256KiB")!
                URLSession(configuration: .ephemeral).downloadTask(with: url) { location, _, _ in
                    file = location
                    end.signal()
                }.resume()
                end.wait()
                Thread.sleep(forTimeInterval: 1)
                let isLeft = file.map { FileManager.default.fileExists(atPath: $0.path) }
                let seen = isLeft.map { $0 ? "still there" : "gone" } ?? "no file"
                print("expected: the temporary file is gone after the handler returned; got: \(seen)")
                if let file { try? FileManager.default.removeItem(at: file) }
                exit(isLeft == false ? 0 : 1)

                """#),
        MinimalProgram(
            "disposition",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Refusing: NSObject, URLSessionDataDelegate, @unchecked Sendable {
                    let end = DispatchSemaphore(value: 0)
                    var bytes = 0
                    func urlSession(
                        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
                        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
                    ) {
                        completionHandler(.cancel)
                    }
                    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                        bytes += data.count
                    }
                    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                        end.signal()
                    }
                }

                let delegate = Refusing()
                let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
                session.dataTask(with: URL(string: CommandLine.arguments[1] + "/bytes/4MiB?rate=4MiB")!).resume()
                delegate.end.wait()
                print("expected: no byte of 4194304 after .cancel; got: \(delegate.bytes) bytes")
                exit(delegate.bytes == 0 ? 0 : 1)

                """#),
        MinimalProgram(
            "download-async-delegate",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Progress: NSObject, URLSessionDownloadDelegate {
                    func urlSession(
                        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
                        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
                    ) {}
                    func urlSession(_: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}
                }

                let request = URLRequest(url: URL(string: CommandLine.arguments[1] + "/bytes/256KiB")!)
                let session = URLSession(configuration: .ephemeral)
                let (location, _) = try await session.download(for: request, delegate: Progress())
                let bytes = try location.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
                try FileManager.default.removeItem(at: location)
                print("expected: a file of 262144 bytes; got: \(bytes) bytes")
                exit(bytes == 262_144 ? 0 : 1)

                """#),
    ]
}

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

extension MinimalProgram {
    /// The main queue and the main run loop of a program with an async main.
    static let mainThread = [
        MinimalProgram(
            "main-run-loop",
            source: #"""
                import Dispatch
                import Foundation
                import FoundationNetworking

                let url = URL(string: CommandLine.arguments[1] + "/bytes/64KiB")!
                let end = DispatchSemaphore(value: 0)
                URLSession.shared.dataTask(with: url) { _, _, _ in
                    RunLoop.main.perform { end.signal() }
                }.resume()
                // The await makes the main of this program async.
                try await Task.sleep(for: .seconds(3))
                let isRun = end.wait(timeout: .now()) == .success
                print("expected: the block ran on the main run loop; got: \(isRun ? "it ran" : "it had not run after 3 s")")
                exit(isRun ? 0 : 1)

                """#),
        MinimalProgram(
            "receive-on-main-thread",
            source: #"""
                import Foundation
                import FoundationNetworking

                let url = URL(string: CommandLine.arguments[1] + "/bytes/64KiB")!
                URLSession.shared.dataTask(with: url) { _, _, _ in
                    DispatchQueue.main.async {
                        let isMain = Thread.isMainThread
                        print("expected: the main queue runs on the main thread; got: \(isMain ? "the main thread" : "another thread")")
                        exit(isMain ? 0 : 1)
                    }
                }.resume()
                // The await makes the main of this program async.
                try await Task.sleep(for: .seconds(10))

                """#),
    ]
}

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

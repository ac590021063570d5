// SPDX-License-Identifier: Apache-2.0

extension MinimalProgram {
    /// Paused and continued transfers.
    static let resume = [
        MinimalProgram(
            "suspend-resume-data",
            source: #"""
                import Foundation
                import FoundationNetworking

                final class Body: NSObject, URLSessionDataDelegate, @unchecked Sendable {
                    let end = DispatchSemaphore(value: 0)
                    var bytes = 0
                    var isSuspended = false
                    var error: (any Error)?
                    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                        bytes += data.count
                        guard bytes >= 4 << 20, !isSuspended else { return }
                        isSuspended = true
                        dataTask.suspend()
                        DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) { dataTask.resume() }
                    }
                    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                        self.error = error
                        end.signal()
                    }
                }

                let body = Body()
                let session = URLSession(configuration: .ephemeral, delegate: body, delegateQueue: nil)
                session.dataTask(with: URL(string: CommandLine.arguments[1] + "/bytes/16MiB?rate=8MiB")!).resume()
                body.end.wait()
                let error = body.error.map { "\(($0 as NSError).code)" } ?? "none"
                print("expected: 16777216 bytes, error none; got: \(body.bytes) bytes, error \(error)")
                exit(body.bytes == 16_777_216 && body.error == nil ? 0 : 1)

                """#),
        MinimalProgram(
            "suspend-resume-handler",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var bytes = 0
                var code = "none"
                let url = URL(string: CommandLine.arguments[1] + "/bytes/16MiB?rate=8MiB")!
                let session = URLSession(configuration: .ephemeral)
                let task = session.dataTask(with: url) { data, _, error in
                    bytes = data?.count ?? 0
                    if let error { code = "\((error as NSError).code)" }
                    end.signal()
                }
                task.resume()
                Thread.sleep(forTimeInterval: 0.75)
                task.suspend()
                Thread.sleep(forTimeInterval: 0.5)
                task.resume()
                end.wait()
                print("expected: 16777216 bytes, error none; got: \(bytes) bytes, error \(code)")
                exit(bytes == 16_777_216 && code == "none" ? 0 : 1)

                """#),
        MinimalProgram(
            "suspend-resume-download",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var bytes = 0
                var code = "none"
                let url = URL(string: CommandLine.arguments[1] + "/bytes/16MiB?rate=8MiB")!
                let session = URLSession(configuration: .ephemeral)
                let task = session.downloadTask(with: url) { location, _, error in
                    if let location {
                        bytes = (try? location.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
                        try? FileManager.default.removeItem(at: location)
                    }
                    if let error { code = "\((error as NSError).code)" }
                    end.signal()
                }
                task.resume()
                Thread.sleep(forTimeInterval: 0.75)
                task.suspend()
                Thread.sleep(forTimeInterval: 0.5)
                task.resume()
                end.wait()
                print("expected: a file of 16777216 bytes, error none; got: \(bytes) bytes, error \(code)")
                exit(bytes == 16_777_216 && code == "none" ? 0 : 1)

                """#),
        MinimalProgram(
            "resume-data",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                var resumeData: Data?
                let url = URL(string: CommandLine.arguments[1] + "/bytes/8MiB?rate=4MiB")!
                let session = URLSession(configuration: .ephemeral)
                let task = session.downloadTask(with: url) { _, _, _ in }
                task.resume()
                Thread.sleep(forTimeInterval: 1)
                task.cancel { data in
                    resumeData = data
                    end.signal()
                }
                end.wait()
                var status = 0
                if let resumeData {
                    session.downloadTask(withResumeData: resumeData) { _, response, _ in
                        status = (response as? HTTPURLResponse)?.statusCode ?? 0
                        end.signal()
                    }.resume()
                    end.wait()
                }
                let data = resumeData.map { "\($0.count) bytes" } ?? "nil"
                print("expected: resume data, and status 206 with it; got: \(data), status \(status)")
                exit(status == 206 ? 0 : 1)

                """#),
    ]
}

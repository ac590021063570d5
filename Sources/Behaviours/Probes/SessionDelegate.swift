// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import FoundationNetworking

final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let onResponse: @Sendable () -> URLSession.ResponseDisposition
    private let onData: @Sendable (URLSessionDataTask, Data) -> Void
    private let onEnd: @Sendable ((any Error)?) -> Void

    init(
        onResponse: @escaping @Sendable () -> URLSession.ResponseDisposition = { .allow },
        onData: @escaping @Sendable (URLSessionDataTask, Data) -> Void = { _, _ in },
        onEnd: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) { (self.onResponse, self.onData, self.onEnd) = (onResponse, onData, onEnd) }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) { completionHandler(onResponse()) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        onData(dataTask, data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        onEnd(error)
    }
}

final class ProbeDownloadDelegate: NSObject, URLSessionDownloadDelegate {
    private let onProgress: @Sendable (URLSessionDownloadTask, _ written: Int64, _ expected: Int64) -> Void
    private let onFile: @Sendable (URL) -> Void
    private let onEnd: @Sendable ((any Error)?) -> Void

    init(
        onProgress: @escaping @Sendable (URLSessionDownloadTask, Int64, Int64) -> Void = { _, _, _ in },
        onFile: @escaping @Sendable (URL) -> Void = { _ in },
        onEnd: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) { (self.onProgress, self.onFile, self.onEnd) = (onProgress, onFile, onEnd) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { onProgress(downloadTask, totalBytesWritten, totalBytesExpectedToWrite) }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        onFile(location)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        onEnd(error)
    }
}

/// A serial queue whose `addOperation` blocks while the queue is full.
final class WaitingQueue: OperationQueue, @unchecked Sendable {
    private let room: DispatchSemaphore

    init(capacity: Int) {
        room = DispatchSemaphore(value: capacity)
        super.init()
        maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        room.wait()
        super.addOperation { [room] in
            block()
            room.signal()
        }
    }
}

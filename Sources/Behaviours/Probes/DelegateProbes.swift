// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization

extension ProbeCatalog {
    /// Decisions and costs of delegates.
    static let delegates = [
        Probe("disposition") { try refuse($0) },
        Probe("download-async-delegate") { context in
            let request = URLRequest(url: try context.url("/bytes/256KiB"))
            let delegate = DownloadDelegate()
            let (location, _) = try await URLSession.plain().download(for: request, delegate: delegate)
            try FileManager.default.copyItem(atPath: location.path, toPath: context.file("body"))
        },
    ]

    private static func refuse(_ context: ProbeContext) throws {
        let end = Signal()
        let delegate = RefusingDelegate(
            onQuestion: { context.report("asked", "cancel") },
            onEnd: { error, delivered in
                context.report("delivered", delivered)
                context.report(error: error)
                end.give()
            })
        URLSession.plain(delegate: delegate).dataTask(with: try context.url("/bytes/4MiB?rate=1MiB")).resume()
        end.take()
    }
}

/// A delegate that cancels every response.
private final class RefusingDelegate: NSObject, URLSessionDataDelegate {
    private let onQuestion: @Sendable () -> Void
    private let onEnd: @Sendable ((any Error)?, _ delivered: Int) -> Void
    private let delivered = Mutex(0)

    init(
        onQuestion: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable ((any Error)?, _ delivered: Int) -> Void
    ) {
        self.onQuestion = onQuestion
        self.onEnd = onEnd
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        onQuestion()
        completionHandler(.cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        delivered.withLock { $0 += data.count }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        onEnd(error, delivered.withLock { $0 })
    }
}

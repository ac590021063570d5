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
            let delegate = ProbeDownloadDelegate()
            let (location, _) = try await URLSession.plain().download(for: request, delegate: delegate)
            try FileManager.default.copyItem(atPath: location.path, toPath: context.file("body"))
        },
    ]

    private static func refuse(_ context: ProbeContext) throws {
        let end = Signal()
        let delivered = Mutex(0)
        let delegate = SessionDelegate(
            onResponse: {
                context.report("asked", "cancel")
                return .cancel
            },
            onData: { _, data in delivered.withLock { $0 += data.count } },
            onEnd: { error in
                context.report("delivered", delivered.withLock { $0 })
                context.report(error: error)
                end.give()
            })
        URLSession.plain(delegate: delegate).dataTask(with: try context.url("/bytes/4MiB?rate=1MiB")).resume()
        end.take()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization

extension ProbeCatalog {
    static let sessions = [
        Probe("session-all-tasks") { try listTasks($0) },
        Probe("session-per-call") { try sessions($0, areInvalidated: false) },
        Probe("session-per-call-finished") { try sessions($0, areInvalidated: true) },
        Probe("thirty-requests") { context in
            let end = Signal()
            let session = URLSession.plain()
            for _ in 0..<30 {
                session.dataTask(with: try context.url("/bytes/64KiB?delay=200")) { _, _, error in
                    context.report(error: error)
                    end.give()
                }.resume()
            }
            end.take(30)
        },
    ]

    private static func listTasks(_ context: ProbeContext) throws {
        let end = Signal()
        let session = URLSession.plain()
        var request = URLRequest(url: try context.url("/sink?delay=1500"))
        request.httpMethod = "POST"
        let tasks: [URLSessionTask] = [
            session.dataTask(with: try context.url("/bytes/1KiB?delay=1500")) { _, _, _ in end.give() },
            session.downloadTask(with: try context.url("/bytes/2KiB?delay=1500")) { _, _, _ in end.give() },
            session.uploadTask(with: request, from: Data(count: 1024)) { _, _, _ in end.give() },
        ]
        for task in tasks { task.resume() }
        Thread.sleep(forTimeInterval: 0.5)
        let told = Signal()
        session.getAllTasks { tasks in
            context.report("all", tasks.count)
            told.give()
        }
        session.getTasksWithCompletionHandler { data, uploads, downloads in
            context.report("by-kind", "\(data.count) \(uploads.count) \(downloads.count)")
            told.give()
        }
        told.take(2)
        end.take(3)
        Thread.sleep(forTimeInterval: 0.3)
        session.getAllTasks { tasks in
            context.report("all-after", tasks.count)
            told.give()
        }
        told.take()
    }

    private static let round = 100

    private static func sessions(_ context: ProbeContext, areInvalidated: Bool) throws {
        let end = Signal()
        func calls(_ count: Int) throws {
            for _ in 0..<count {
                let session = URLSession.plain(delegate: SessionDelegate(onEnd: { _ in end.give() }))
                session.dataTask(with: try context.url("/bytes/1KiB")).resume()
                end.take()
                if areInvalidated { session.finishTasksAndInvalidate() }
            }
            // Sessions are let go a moment after their last call.
            Thread.sleep(forTimeInterval: 0.5)
        }
        try calls(round)
        context.mark("first")
        try calls(round)
        context.mark("second")
    }

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

// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import FoundationNetworking
import NIOCore

extension ProbeCatalog {
    static let timeouts = [
        Probe("request-timeout") { try requestTimeouts($0) },
        Probe("resource-timeout") { try resourceTimeout($0) },
        Probe("request-timeout-ahc") { context in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for milliseconds in [500, 1000, 1500, 2000] {
                    group.addTask { try await readTimeout(context, milliseconds) }
                }
                try await group.waitForAll()
            }
        },
        Probe("resource-timeout-ahc") { context in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let url = try context.url("/bytes/1MiB?rate=64KiB").absoluteString
            let task = Task {
                let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(2))
                for try await _ in response.body {}
            }
            try await Task.sleep(for: .seconds(5))
            context.mark("after-5-s")
            task.cancel()
            if case .failure(let error) = await task.result { context.report("error", "\(error)") }
        },
        Probe("request-timeout-queued") { context in
            try tenTasks(context, queued) {
                $0.httpMaximumConnectionsPerHost = 5
                $0.timeoutIntervalForRequest = 4
            }
        },
        Probe("connect-timeout-queued-ahc") { try await queuedRequests($0) },
    ]

    /// The path of ten requests over five connections: half of them wait 2.5 s and are answered after 5 s.
    private static let queued = "/bytes/16KiB?delay=2500"

    private static func queuedRequests(_ context: ProbeContext) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 5
        configuration.timeout.connect = .seconds(1)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let url = try context.url(queued).absoluteString
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    do {
                        try await fetch(url, client)
                        context.report("error", "none")
                    } catch {
                        context.report("error", "\(error)")
                    }
                }
            }
        }
        try await client.shutdown()
    }

    private static func requestTimeouts(_ context: ProbeContext) throws {
        let end = Signal()
        for milliseconds in [500, 1000, 1500, 2000] {
            let session = URLSession.plain { $0.timeoutIntervalForRequest = Double(milliseconds) / 1000 }
            session.dataTask(with: try context.url("/faults/silent?after=\(milliseconds)")) { _, _, error in
                context.report("error-\(milliseconds)", (error as NSError?)?.code ?? 0)
                end.give()
            }.resume()
        }
        end.take(4)
    }

    private static func resourceTimeout(_ context: ProbeContext) throws {
        let session = URLSession.plain {
            $0.timeoutIntervalForRequest = 60
            $0.timeoutIntervalForResource = 2
        }
        session.dataTask(with: try context.url("/bytes/1MiB?rate=64KiB")) { _, _, error in
            context.report(error: error)
        }.resume()
        Thread.sleep(forTimeInterval: 5)
        context.mark("after-5-s")
    }

    private static func readTimeout(_ context: ProbeContext, _ milliseconds: Int) async throws {
        let timeout = HTTPClient.Configuration.Timeout(read: .milliseconds(Int64(milliseconds)))
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .init(timeout: timeout))
        let url = try context.url("/faults/silent?after=\(milliseconds)").absoluteString
        do {
            _ = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        } catch {
            context.report("error-\(milliseconds)", "\(error)")
        }
        try await client.shutdown()
    }
}

// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import FoundationNetworking
import NIOCore
import Synchronization

extension ProbeCatalog {
    static let cancel = [
        Probe("cancel-data") { try cancelData($0) },
        Probe("cancel-delegate") { try cancelWithDelegates($0) },
        Probe("cancel-async-slow") { context in
            let session = URLSession.plain()
            let url = try context.url(slow)
            for _ in 0..<100 {
                let task = Task { try await session.data(from: url) }
                try await Task.sleep(for: .milliseconds(40))
                task.cancel()
                if case .failure(let error) = await task.result { context.report(error: error) }
            }
            context.mark("after")
        },
        Probe("cancel-async-fast") { context in try await cancelFast(context) { _ = try await $0.data(from: $1) } },
        Probe("cancel-download-async") { context in
            try await cancelFast(context) { try FileManager.default.removeItem(at: try await $0.download(from: $1).0) }
        },
        Probe("cancel-ahc") { context in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let url = try context.url(slow).absoluteString
            for _ in 0..<100 {
                let task = Task { try await fetch(url, client) }
                try await Task.sleep(for: .milliseconds(40))
                task.cancel()
                if case .failure(let error) = await task.result {
                    context.report("error", error is CancellationError ? "CancellationError" : "\(error)")
                }
            }
            context.mark("after")
        },
    ]

    private static func cancelFast(
        _ context: ProbeContext, _ fetch: @escaping @Sendable (URLSession, URL) async throws -> Void
    ) async throws {
        let (session, url) = (URLSession.plain(), try context.url("/bytes/1MiB"))
        for index in 0..<100 {
            let task = Task { try await fetch(session, url) }
            // Spread over the whole transfer.
            try await Task.sleep(for: .microseconds(index % 20 * 250))
            task.cancel()
            switch await task.result {
            case .success: context.report("error", "none")
            case .failure(let error): context.report(error: error)
            }
        }
        context.mark("after")
    }

    /// A transfer that takes 8 s unless cancelled.
    private static let slow = "/bytes/8MiB?rate=1MiB"

    private static func cancelWithDelegates(_ context: ProbeContext) throws {
        let (end, url) = (Signal(), try context.url(slow))
        let (data, download) = (
            SessionDelegate(onEnd: context.reporting(end)), ProbeDownloadDelegate(onEnd: context.reporting(end))
        )
        let tasks = [
            URLSession.plain(delegate: data).dataTask(with: url),
            URLSession.plain(delegate: download).downloadTask(with: url),
        ]
        for task in tasks { task.resume() }
        Thread.sleep(forTimeInterval: 0.5)
        for task in tasks { task.cancel() }
        for _ in tasks { _ = end.take(within: 5) }
    }

    private static func cancelData(_ context: ProbeContext) throws {
        let end = Signal()
        let session = URLSession.plain()
        for _ in 0..<100 {
            let task = session.dataTask(with: try context.url(slow)) { _, _, error in
                context.report(error: error)
                end.give()
            }
            task.resume()
            Thread.sleep(forTimeInterval: 0.04)
            task.cancel()
            end.take()
        }
        context.mark("after")
    }
}

/// A data task as an async function that ends with its Swift task, made of a completion handler.
final class CancellableFetch: Sendable {
    private let state = Mutex<(task: URLSessionDataTask?, isCancelled: Bool)>((nil, false))

    /// Returns the body of an answer with the status 200; any other is an error.
    static func data(from url: URL, in session: URLSession) async throws -> Data {
        try await CancellableFetch().data(from: url, in: session)
    }

    private func data(from url: URL, in session: URLSession) async throws -> Data {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = session.dataTask(with: url) { data, response, error in
                    self.end()
                    let isRight = (response as? HTTPURLResponse)?.statusCode == 200
                    if let error {
                        continuation.resume(throwing: error)
                    } else if isRight {
                        continuation.resume(returning: data ?? Data())
                    } else {
                        continuation.resume(throwing: URLError(.badServerResponse))
                    }
                }
                begin(task)
            }
        } onCancel: {
            state.withLock { state in
                state.isCancelled = true
                state.task?.cancel()
            }
        }
    }

    private func begin(_ task: URLSessionDataTask) {
        state.withLock { state in
            state.task = task
            task.resume()
            if state.isCancelled { task.cancel() }
        }
    }

    /// Lets go of the task, so that it is not cancelled once its handler was called.
    private func end() { state.withLock { $0.task = nil } }
}

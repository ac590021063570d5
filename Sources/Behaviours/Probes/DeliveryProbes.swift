// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import FoundationNetworking
import NIOCore
import NIOHTTPCompression
import Synchronization

extension ProbeCatalog {
    /// The ways in which bodies and progress reach the caller.
    static let delivery = [
        Probe("progress-data") { try dataProgress($0) },
        Probe("progress-download") { try downloadProgress($0) },
        Probe("temporary-file") { try temporaryFile($0) },
        Probe("temporary-file-async") { context in
            let session = URLSession.plain()
            for _ in 0..<3 { _ = try await session.download(from: context.url("/bytes/256KiB")) }
            session.finishTasksAndInvalidate()
            try await Task.sleep(for: .seconds(1))
            context.mark("after")
        },
        Probe("short-body") { try whole($0, "/faults/short?size=64KiB&sent=16KiB") },
        Probe("short-body-download") { try wholeDownload($0, "/faults/short?size=64KiB&sent=16KiB") },
        Probe("short-body-ahc") { try await whole($0, "/faults/short?size=64KiB&sent=16KiB", max: 5) },
        Probe("delegate-queue") { try delegateQueue($0) },
        Probe("delegate-queue-default") { try defaultQueue($0) },
        Probe("copy-item") { context in
            let end = Signal()
            URLSession.plain().downloadTask(with: try context.url("/bytes/1MiB")) { location, _, _ in
                if let location {
                    let (files, moved) = (FileManager.default, context.file("moved"))
                    context.report("moving", written { try? files.moveItem(atPath: location.path, toPath: moved) })
                    context.report(
                        "copying", written { try? files.copyItem(atPath: moved, toPath: context.file("copied")) })
                }
                end.give()
            }.resume()
            end.take()
        },
        Probe("file-truncated-ahc") { context in
            try context.leave("body", Data(repeating: 0x78, count: 100_000))
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let request = try HTTPClient.Request(url: context.url("/bytes/64KiB").absoluteString)
            let delegate = try FileDownloadDelegate(path: context.file("body"))
            _ = try await client.execute(request: request, delegate: delegate).get()
        },
    ]

    /// Saves a body that arrived without an error as a file, which the kernel can see.
    static func whole(_ context: ProbeContext, _ path: String) throws {
        let end = Signal()
        URLSession.plain().dataTask(with: try context.url(path)) { data, response, error in
            context.report(error: error)
            if let response = response as? HTTPURLResponse { context.report("status", response.statusCode) }
            if error == nil { try? context.leave("accepted", data ?? Data()) }
            end.give()
        }.resume()
        end.take()
    }

    static func whole(
        _ context: ProbeContext, _ path: String, max: Int, decompresses: Bool = false
    ) async throws {
        let redirects = HTTPClient.Configuration.RedirectConfiguration.follow(max: max, allowCycles: true)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: .init(
                redirectConfiguration: redirects,
                decompression: decompresses ? .enabled(limit: .none) : .disabled))
        do {
            let request = HTTPClientRequest(url: try context.url(path).absoluteString)
            let response = try await client.execute(request, timeout: .seconds(30))
            let body = try await response.body.collect(upTo: 1 << 20)
            context.report("error", "none")
            // It describes itself as `401 Unauthorized`.
            context.report("status", String("\(response.status)".prefix(3)))
            try context.leave("accepted", Data(body.readableBytesView))
        } catch {
            context.report("error", "\(error)")
        }
        try await client.shutdown()
    }

    private static func wholeDownload(_ context: ProbeContext, _ path: String) throws {
        let end = Signal()
        URLSession.plain().downloadTask(with: try context.url(path)) { location, _, error in
            context.report(error: error)
            if error == nil, let location {
                try? FileManager.default.copyItem(atPath: location.path, toPath: context.file("accepted"))
            }
            end.give()
        }.resume()
        end.take()
    }

    private static func dataProgress(_ context: ProbeContext) throws {
        let end = Signal()
        let session = URLSession.plain()
        let task = session.dataTask(with: try context.url("/bytes/2MiB?rate=1MiB")) { _, _, error in
            context.report(error: error)
            end.give()
        }
        task.resume()
        Thread.sleep(forTimeInterval: 1)
        context.report("midway-count", task.countOfBytesReceived)
        context.report("midway-fraction", task.progress.fractionCompleted)
        end.take()
        // The properties may be set after the handler was called.
        Thread.sleep(forTimeInterval: 0.5)
        context.report("final-count", task.countOfBytesReceived)
        context.report("final-fraction", task.progress.fractionCompleted)
    }

    private static func downloadProgress(_ context: ProbeContext) throws {
        let end = Signal()
        let last = Mutex((calls: 0, written: Int64(0), expected: Int64(0)))
        let delegate = ProbeDownloadDelegate(
            onProgress: { _, written, expected in
                last.withLock { $0 = ($0.calls + 1, written, expected) }
            },
            onEnd: context.reporting(end))
        URLSession.plain(delegate: delegate).downloadTask(with: try context.url("/bytes/1MiB")).resume()
        end.take()
        let seen = last.withLock { $0 }
        context.report("calls", seen.calls)
        context.report("written", seen.written)
        context.report("expected", seen.expected)
    }

    private static func temporaryFile(_ context: ProbeContext) throws {
        let end = Signal()
        let session = URLSession.plain()
        for _ in 0..<3 {
            session.downloadTask(with: try context.url("/bytes/256KiB")) { _, _, error in
                context.report(error: error)
                end.give()
            }.resume()
            end.take()
        }
        session.finishTasksAndInvalidate()
        // Time to remove what the handler's end should have removed.
        Thread.sleep(forTimeInterval: 1)
        context.mark("after")
    }

    private static func delegateQueue(_ context: ProbeContext) throws {
        let end = Signal()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let delegate = SessionDelegate(
            onData: { _, _ in context.report("data-on-queue", OperationQueue.current === queue) },
            onEnd: { _ in
                context.report("end-on-queue", OperationQueue.current === queue)
                end.give()
            })
        let session = URLSession.plain(delegate: delegate, queue: queue)
        session.dataTask(with: try context.url("/bytes/64KiB")).resume()
        end.take()
        session.dataTask(with: try context.url("/bytes/64KiB")) { _, _, _ in
            context.report("handler-on-queue", OperationQueue.current === queue)
            end.give()
        }.resume()
        end.take()
    }

    /// Two tasks at once whose delegate takes its time, on the queue that a session has of its own.
    private static func defaultQueue(_ context: ProbeContext) throws {
        let end = Signal()
        let calls = Mutex((now: 0, most: 0))
        let delegate = SessionDelegate(
            onData: { _, _ in
                calls.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                Thread.sleep(forTimeInterval: 0.05)
                calls.withLock { $0.now -= 1 }
            },
            onEnd: { _ in
                context.report("on-main", Thread.isMainThread || OperationQueue.current === OperationQueue.main)
                end.give()
            })
        let session = URLSession.plain(delegate: delegate)
        for _ in 0..<2 { session.dataTask(with: try context.url("/bytes/64KiB")).resume() }
        end.take(2)
        context.report("at-once", calls.withLock { $0.most })
    }

    /// The bytes that this process writes meanwhile: `wchar` of `/proc/self/io`.
    private static func written(during body: () -> Void) -> Int {
        func count() -> Int {
            let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)
            let line = text?.split(separator: "\n").first { $0.hasPrefix("wchar:") }
            return line.flatMap { Int($0.dropFirst("wchar: ".count)) } ?? 0
        }
        let before = count()
        body()
        return count() - before
    }

    /// Consumers that take one piece of 64 MiB and then stop reading: all that the origin still sends is buffered.
    static let backPressure = [
        Probe("back-pressure-data") { try blockInData($0, queue: nil) },
        Probe("back-pressure-blocking-queue") { try blockInData($0, queue: WaitingQueue(capacity: 4)) },
        Probe("back-pressure-download") { try blockInDownload($0) },
        Probe("back-pressure-ahc") { context in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let url = try context.url("/bytes/64MiB").absoluteString
            let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
            var pieces = response.body.makeAsyncIterator()
            _ = try await pieces.next()
            context.mark("blocked", settles: true)
            try await client.shutdown()
        },
    ]

    private static func blockInData(_ context: ProbeContext, queue: OperationQueue?) throws {
        let (first, never) = (Signal(), Signal())
        let delegate = SessionDelegate(onData: { _, _ in
            first.give()
            never.take()
        })
        URLSession.plain(delegate: delegate, queue: queue).dataTask(with: try context.url("/bytes/64MiB")).resume()
        first.take()
        context.mark("blocked", settles: true)
    }

    private static func blockInDownload(_ context: ProbeContext) throws {
        let (first, never) = (Signal(), Signal())
        let delegate = ProbeDownloadDelegate(onProgress: { _, _, _ in
            first.give()
            never.take()
        })
        let session = URLSession.plain(delegate: delegate)
        context.mark("before")
        session.downloadTask(with: try context.url("/bytes/64MiB")).resume()
        first.take()
        context.mark("blocked", settles: true)
    }
}

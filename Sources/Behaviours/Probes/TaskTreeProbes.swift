// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

extension ProbeCatalog {
    /// Child tasks that fetch by a completion handler: when they start, when they end, what they leave.
    static let taskTrees = [
        Probe("group-starts") { context in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for url in try urls(context) { group.addTask { _ = try await CancellableFetch.plain(url) } }
                try await markLater(context)
            }
        },
        Probe("async-let-starts") { context in
            let (first, second, third) = (try urls(context)[0], try urls(context)[1], try urls(context)[2])
            async let one = CancellableFetch.plain(first)
            async let two = CancellableFetch.plain(second)
            async let three = CancellableFetch.plain(third)
            try await markLater(context)
            try context.leave("body", try await one + two + three)
        },
        Probe("group-first-error") { context in
            await reported(context) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for child in try oneThatFails(context) { group.addTask(operation: child) }
                    for try await _ in group {}
                }
            }
            try await markLater(context)
        },
        Probe("group-unread-error") { context in
            await withThrowingTaskGroup(of: Void.self) { group in
                for child in (try? oneThatFails(context)) ?? [] { group.addTask(operation: child) }
                try? await markLater(context, seconds: 2)
                group.cancelAll()
            }
        },
        Probe("discarding-group-error") { context in
            await reported(context) {
                try await withThrowingDiscardingTaskGroup { group in
                    for child in try oneThatFails(context) { group.addTask(operation: child) }
                }
            }
            try await markLater(context)
        },
        Probe("parent-cancelled") { context in
            let url = try context.url(slow)
            let parent = Task {
                await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<5 { group.addTask { _ = try await CancellableFetch.plain(url) } }
                    while let result = await group.nextResult() { report(context, result) }
                }
            }
            try await Task.sleep(for: .seconds(1))
            parent.cancel()
            await parent.value
            try await markLater(context)
        },
        Probe("unstructured-task") { context in
            let url = try context.url("/bytes/64KiB?delay=1000")
            let outer = Task {
                let inner = Task { try await CancellableFetch.plain(url) }
                try? await Task.sleep(for: .seconds(60))
                return inner
            }
            try await Task.sleep(for: .milliseconds(300))
            outer.cancel()
            try context.leave("body", try await outer.value.value)
        },
        Probe("group-of-five") { try await groupOfFive($0) },
        Probe("dictionary-by-url") { context in
            let urls = try ["1", "2", "1"].map { try context.url("/bytes/64KiB?seed=\($0)") }
            let bodies = try await withThrowingTaskGroup(of: (URL, Data).self) { group in
                for url in urls { group.addTask { (url, try await CancellableFetch.plain(url)) } }
                return try await group.reduce(into: [URL: Data]()) { $0[$1.0] = $1.1 }
            }
            context.report("entries", bodies.count)
        },
        Probe("group-keeps-results") { context in
            try await withThrowingTaskGroup(of: Data.self) { group in
                try await fill(context) { group.addTask(operation: $0) }
            }
        },
        Probe("discarding-group") { context in
            try await withThrowingDiscardingTaskGroup { group in
                try await fill(context) { child in group.addTask { _ = try await child() } }
            }
        },
        Probe("continuation-data") { context in
            let session = URLSession.plain()
            let url = try context.url("/bytes/64KiB")
            let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<100 { group.addTask { try await CancellableFetch.data(from: url, in: session) } }
                return try await group.reduce(into: [Data]()) { $0.append($1) }
            }
            context.report("returned", bodies.count)
            context.report("different", Set(bodies).count)
            try context.leave("body", bodies.first ?? Data())
        },
        Probe("cancel-continuation-fast") { context in
            let session = URLSession.plain()
            let url = try context.url("/bytes/1MiB")
            for index in 0..<100 {
                let task = Task { try await CancellableFetch.data(from: url, in: session) }
                // Spread over the whole transfer.
                try await Task.sleep(for: .microseconds(index % 20 * 250))
                task.cancel()
                report(context, await task.result)
            }
            context.mark("after")
        },
    ]

    /// A transfer that takes 8 s unless cancelled.
    private static let slow = "/bytes/8MiB?rate=1MiB"

    private static func urls(_ context: ProbeContext) throws -> [URL] {
        try (1...3).map { try context.url("/bytes/64KiB?seed=\($0)") }
    }

    /// Marks what was requested, or who left, a second after the last call.
    private static func markLater(_ context: ProbeContext, seconds: Int = 1) async throws {
        try await Task.sleep(for: .seconds(seconds))
        context.mark("after")
    }

    private static func report(_ context: ProbeContext, _ result: Result<some Any, any Error>) {
        switch result {
        case .success: context.report("error", "none")
        case .failure(let error): context.report(error: error)
        }
    }

    private static func reported(_ context: ProbeContext, _ body: () async throws -> Void) async {
        do {
            try await body()
            context.report("error", "none")
        } catch {
            context.report(error: error)
        }
    }

    /// Three slow children, and one that asks for a body that is reset, after 600 ms.
    private static func oneThatFails(_ context: ProbeContext) throws -> [@Sendable () async throws -> Void] {
        let url = try context.url(slow)
        let reset = try context.url("/faults/reset?size=64KiB&sent=16KiB")
        let child: @Sendable () async throws -> Void = { _ = try await CancellableFetch.plain(url) }
        return [child, child, child] + [
            {
                try await Task.sleep(for: .milliseconds(600))
                _ = try await CancellableFetch.plain(reset)
            }
        ]
    }

    /// Fetches ten bodies over five connections, of which each is answered before the one that was requested earlier.
    private static func groupOfFive(_ context: ProbeContext) async throws {
        let session = URLSession.plain { $0.httpMaximumConnectionsPerHost = 5 }
        let count = 10
        let answers = try await withThrowingTaskGroup(of: (Int, Data).self) { group in
            for index in 0..<count {
                let url = try context.url("/bytes/64KiB?seed=\(index + 1)&delay=\(200 + (count - index) * 60)")
                group.addTask { (index, try await session.data(from: url).0) }
            }
            var answers = [Data](repeating: Data(), count: count)
            for try await (index, data) in group { answers[index] = data }
            return answers
        }
        try context.leave("body", answers.reduce(Data(), +))
    }

    /// Adds children that return 3 large bodies, one after the other, and marks what the group holds when all have.
    private static func fill(
        _ context: ProbeContext, _ add: (@escaping @Sendable () async throws -> Data) -> Void
    ) async throws {
        let session = URLSession.plain()
        // Above glibc's largest threshold for mmap, so that what is freed goes back to the kernel.
        let url = try context.url("/bytes/40MiB")
        _ = try await CancellableFetch.data(from: try context.url("/bytes/1KiB"), in: session)
        context.mark("before")
        for _ in 0..<3 {
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            add {
                defer { end.finish() }
                return try await CancellableFetch.data(from: url, in: session)
            }
            for await _ in ends {}
        }
        try await markLater(context)
    }
}

extension CancellableFetch {
    fileprivate static func plain(_ url: URL) async throws -> Data {
        try await data(from: url, in: .plain())
    }
}

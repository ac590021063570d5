// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TrialKit

/// Answers fetches from a table, to memory or to files, and can hold them back until it is told to go on.
final class FakeOrigin: Fetcher {
    private struct State {
        var bodies: [String: [UInt8]] = [:]
        var isOpen = true
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextNumber = 0
        var requests: [String: Int] = [:]
        var cancelled = 0
    }

    private let state = Mutex(State())
    private let writesFiles: Bool
    private let honoursCancellation: Bool
    private let jitter: Duration

    init(
        _ bodies: [String: [UInt8]], toFiles writesFiles: Bool = true, honouringCancellation: Bool = true,
        jitter: Duration = .zero
    ) {
        self.writesFiles = writesFiles
        honoursCancellation = honouringCancellation
        self.jitter = jitter
        state.withLock { $0.bodies = bodies }
    }

    var requests: [String: Int] { state.withLock { $0.requests } }
    var cancelled: Int { state.withLock { $0.cancelled } }
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Serves other bytes from now on.
    func replace(_ path: String, by body: [UInt8]) {
        state.withLock { $0.bodies[path] = body }
    }

    func shut() { state.withLock { $0.isOpen = false } }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let path = request.url.path
        let body = state.withLock { state in
            state.requests[path, default: 0] += 1
            return state.bodies[path]
        }
        await pass()
        if jitter > .zero { try? await Task.sleep(for: jitter * Int.random(in: 0...4) / 4) }
        if honoursCancellation, Task.isCancelled {
            state.withLock { $0.cancelled += 1 }
            throw FetchFailure(.other, "cancelled")
        }
        guard let body else { throw FetchFailure(.httpStatus, "status 404") }
        let tag = "\"\(body.count)-\(body.hashValue)\""
        if request.entityTag == tag { return .unchanged }
        var content = FetchedBody.Content.memory(body)
        if writesFiles {
            let file = try BodyFile(creating: request.destination)
            try body.withUnsafeBytes { bytes in Result { () throws(FetchFailure) in try file.write(bytes) } }.get()
            content = .file(path: request.destination)
        }
        var fetched = FetchedBody(content: content, byteCount: body.count)
        if request.wantsEntityTag { fetched.entityTag = tag }
        return fetched
    }

    func invalidate() async {}

    private func pass() async {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.isOpen || honoursCancellation && Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            guard honoursCancellation else { return }
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}

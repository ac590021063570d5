// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A pool of renderers, one for each concurrent decode, that verify and render bodies on threads of their own.
///
/// Not on Swift's task threads, of which there are only as many as processors.
final class RendererPool: Sendable {
    private let free: Mutex<[PooledRenderer]>
    private let verification: Verification

    init(count: Int, _ stage: ScenarioStage) throws {
        free = Mutex(try (0..<count).map { _ in PooledRenderer(try stage.model.makeRenderer(stage.rendering)) })
        verification = stage.settings.verification
    }

    func warmUp() throws {
        for pooled in free.withLock({ $0 }) { try pooled.renderer.warmUp() }
    }

    /// Verifies a body, renders it if wanted, and releases it.
    func use(_ body: HeldBody, renders: Bool) async throws -> BodyReading? {
        try await withCheckedThrowingContinuation { continuation in
            do throws(FetchFailure) {
                try DetachedThread.run { [self] in
                    continuation.resume(with: Result { try withRenderer { try $0.use(body, verification, renders) } })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private func withRenderer<Value>(_ work: (PooledRenderer) throws -> Value) throws -> Value {
        guard let pooled = free.withLock({ $0.popLast() }) else {
            throw FetchFailure(.other, "more concurrent decodes than renderers")
        }
        defer { free.withLock { $0.append(pooled) } }
        return try work(pooled)
    }

    /// The renderer and the verifier of one body at a time.
    private final class PooledRenderer: @unchecked Sendable {
        // Unchecked: only the thread that has taken it uses it.
        let renderer: any Renderer
        private let verifier = BodyVerifier()

        init(_ renderer: any Renderer) { self.renderer = renderer }

        func use(_ held: HeldBody, _ verification: Verification, _ renders: Bool) throws -> BodyReading? {
            let reading = try held.read { body throws(FetchFailure) in try verifier.reading(of: body, by: verification)
            }
            // Passed without a name, which would hold the body while a model releases it.
            if renders { _ = try renderer.render(held.take()) } else { _ = held.take() }
            return reading
        }
    }

    /// The only reference to a body between its download and its decode.
    final class HeldBody: Sendable {
        private let body: Mutex<FetchedBody?>

        init(_ body: consuming FetchedBody) { self.body = Mutex(body) }

        func read<Value>(_ look: (FetchedBody) throws(FetchFailure) -> Value) throws(FetchFailure) -> Value {
            try look(body.withLock { $0 } ?? .nothing)
        }

        func take() -> FetchedBody {
            body.withLock { body in
                defer { body = nil }
                return body ?? .nothing
            }
        }
    }
}

/// An asynchronous semaphore, first come, first served, that records the largest number of holders.
final class AsyncSemaphore: Sendable {
    private struct State {
        var inside = 0
        var most = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The index of the first waiter.
        var next = 0
    }

    private let capacity: Int
    private let state: Mutex<State>

    /// - Parameter waiting: The largest number of waiters, for which room is reserved now.
    init(capacity: Int, waiting: Int) {
        self.capacity = capacity
        var initial = State()
        initial.waiting.reserveCapacity(waiting)
        state = Mutex(initial)
    }

    /// The largest number of concurrent holders.
    var most: Int { state.withLock { $0.most } }

    func forget() { state.withLock { $0.most = 0 } }

    func enter() async {
        await withCheckedContinuation { continuation in
            let isInside = state.withLock { state in
                guard state.inside < capacity else {
                    state.waiting.append(continuation)
                    return false
                }
                state.inside += 1
                state.most = max(state.most, state.inside)
                return true
            }
            if isInside { continuation.resume() }
        }
    }

    /// Passes the place to the longest waiter.
    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.next < state.waiting.count else {
                state.inside -= 1
                return nil
            }
            defer { state.next += 1 }
            return state.waiting[state.next]
        }
        next?.resume()
    }
}

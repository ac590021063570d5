// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A pool of renderers, one for each concurrent decode, that verify and render bodies on threads of their own.
///
/// Not on Swift's task threads, of which there are only as many as processors.
final class Desks: Sendable {
    private let free: Mutex<[Desk]>
    private let verification: Verification

    init(count: Int, _ stage: ScenarioStage) throws {
        free = Mutex(try (0..<count).map { _ in Desk(try stage.model.makeRenderer(stage.rendering)) })
        verification = stage.settings.verification
    }

    func warmUp() throws {
        for desk in free.withLock({ $0 }) { try desk.renderer.warmUp() }
    }

    /// Verifies a body, renders it if wanted, and releases it.
    func use(_ body: HeldBody, renders: Bool) async throws -> BodyReading? {
        try await withCheckedThrowingContinuation { continuation in
            do throws(FetchFailure) {
                try DetachedThread.run { [self] in
                    continuation.resume(with: Result { try atDesk { try $0.use(body, verification, renders) } })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private func atDesk<Value>(_ work: (Desk) throws -> Value) throws -> Value {
        guard let desk = free.withLock({ $0.popLast() }) else {
            throw FetchFailure(.other, "more concurrent decodes than renderers")
        }
        defer { free.withLock { $0.append(desk) } }
        return try work(desk)
    }
}

/// The renderer and the verifier of one body at a time.
private final class Desk: @unchecked Sendable {
    // Unchecked: only the thread that has taken it uses it.
    let renderer: any Renderer
    private let verifier = BodyVerifier()

    init(_ renderer: any Renderer) {
        self.renderer = renderer
    }

    func use(_ held: HeldBody, _ verification: Verification, _ renders: Bool) throws -> BodyReading? {
        let reading = try held.read { body throws(FetchFailure) in try verifier.reading(of: body, by: verification) }
        // Passed without a name, which would hold the body while a model releases it.
        if renders { _ = try renderer.render(held.take()) } else { _ = held.take() }
        return reading
    }
}

/// The only reference to a body between its download and its decode.
final class HeldBody: Sendable {
    private let body: Mutex<FetchedBody?>

    init(_ body: consuming FetchedBody) {
        self.body = Mutex(body)
    }

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

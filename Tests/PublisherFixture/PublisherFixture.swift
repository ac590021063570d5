// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import OpenCombineModes
import RawModes
import Synchronization
import TrialKit

/// A trial program with a publisher that leaks when it is cancelled, on purpose, and the same one repaired.
///
/// Both fetch by the socket of mode `raw`, because each request of URLSession leaves some bytes of its own.
@main
enum PublisherFixture {
    static func main() async {
        await TrialProgram.run(modes: [
            PublisherMode(name: "leaky-publisher", isRepaired: false),
            PublisherMode(name: "repaired-publisher", isRepaired: true),
        ])
    }
}

private struct PublisherMode: FetchMode {
    let name: String
    let isRepaired: Bool
    var summary: String {
        "a publisher of one body whose subscription " + (isRepaired ? "ends" : "is never released") + " when cancelled"
    }
    let abilities: Set<ModeAbility> = [.concurrency, .file, .cancellation]

    func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher {
        guard let raw = RawCatalog.all.first else { throw FetchFailure(.other, "there is no mode raw") }
        return PublisherFetcher(try raw.makeFetcher(settings), isRepaired: isRepaired)
    }
}

private final class PublisherFetcher: Fetcher {
    private let fetcher: any Fetcher
    private let isRepaired: Bool

    init(_ fetcher: any Fetcher, isRepaired: Bool) {
        self.fetcher = fetcher
        self.isRepaired = isRepaired
    }

    func prepare(for request: FetchRequest) async throws(FetchFailure) {
        try await fetcher.prepare(for: request)
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let publisher = BodyPublisher(fetcher: fetcher, request: request, isRepaired: isRepaired)
        return try await CancellableSubscription<Result<FetchedBody, FetchFailure>>.value(of: request) { answer in
            publisher.sink(
                receiveCompletion: { completion in
                    if case .failure(let error) = completion { answer(.failure(error)) }
                },
                receiveValue: { answer(.success($0)) })
        }.get()
    }

    func invalidate() async { await fetcher.invalidate() }
}

private struct BodyPublisher: Publisher {
    typealias Output = FetchedBody
    typealias Failure = FetchFailure

    let fetcher: any Fetcher
    let request: FetchRequest
    let isRepaired: Bool

    func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == FetchedBody, Downstream.Failure == FetchFailure {
        subscriber.receive(subscription: BodySubscription(self, to: AnySubscriber(subscriber)))
    }
}

/// A subscription that holds itself until it has ended.
///
/// Unchecked: subscribers are not Sendable; this one's is used under the lock, or taken out of it.
private final class BodySubscription: Subscription, @unchecked Sendable {
    typealias Downstream = AnySubscriber<FetchedBody, FetchFailure>

    // Unchecked: see above.
    private struct State: @unchecked Sendable {
        var downstream: Downstream?
        var fetching: Task<Void, Never>?
        /// The cycle that the leaky publisher forgets.
        var own: BodySubscription?
    }

    private let publisher: BodyPublisher
    private let state: Mutex<State>

    init(_ publisher: BodyPublisher, to downstream: Downstream) {
        self.publisher = publisher
        state = Mutex(State(downstream: downstream))
    }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { state in
            guard demand > 0, state.fetching == nil else { return }
            state.own = self
            state.fetching = Task { [weak self] in await self?.fetch() }
        }
    }

    func cancel() {
        let fetching = state.withLock { state in
            state.downstream = nil
            if publisher.isRepaired { state.own = nil }
            return state.fetching
        }
        fetching?.cancel()
    }

    private func fetch() async {
        let result: Result<FetchedBody, FetchFailure>
        do throws(FetchFailure) {
            result = .success(try await publisher.fetcher.fetch(publisher.request))
        } catch {
            result = .failure(error)
        }
        let downstream = state.withLock { state in
            defer { if state.downstream != nil { state.own = nil } }
            return state.downstream
        }
        switch result {
        case .success(let body):
            _ = downstream?.receive(body)
            downstream?.receive(completion: .finished)
        case .failure(let error): downstream?.receive(completion: .failure(error))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineDownload

final class ProbeSubscriber: Subscriber, @unchecked Sendable {
    enum Event: Equatable {
        case value(file: String, byteCount: Int, status: Int)
        case finished
        case failure(URLError.Code)
    }

    private let lock = NSLock()
    private var subscription: (any Subscription)?
    private var told: [Event] = []
    private var content: Data?

    init<Source: Publisher>(of publisher: Source, _ demand: Subscribers.Demand)
    where Source.Output == DownloadTaskPublisher.Output, Source.Failure == URLError {
        publisher.subscribe(self)
        request(demand)
    }

    var events: [Event] { lock.withLock { told } }

    var fileAtValue: Data? { lock.withLock { content } }

    func request(_ demand: Subscribers.Demand) {
        lock.withLock { subscription }?.request(demand)
    }

    func cancel() { lock.withLock { subscription }?.cancel() }

    func waitForEnd() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if let last = events.last, last == .finished || events.contains(where: \.isFailure) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func receive(subscription: any Subscription) {
        lock.withLock { self.subscription = subscription }
    }

    func receive(_ input: DownloadTaskPublisher.Output) -> Subscribers.Demand {
        let status = (input.response as? HTTPURLResponse)?.statusCode ?? 0
        let data = try? Data(contentsOf: input.file)
        lock.withLock {
            content = data
            told.append(.value(file: input.file.path, byteCount: input.byteCount, status: status))
        }
        return .unlimited
    }

    func receive(completion: Subscribers.Completion<URLError>) {
        lock.withLock {
            switch completion {
            case .finished: told.append(.finished)
            case .failure(let failure): told.append(.failure(failure.code))
            }
        }
    }
}

extension ProbeSubscriber.Event {
    var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}

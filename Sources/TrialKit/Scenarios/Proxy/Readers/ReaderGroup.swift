// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Synchronization

/// Concurrent readers with a thread each, until all requests are made or one fails.
package final class ReaderGroup: Sendable {
    private struct State {
        var begun = 0
        var running = 0
        var nanoseconds: [Int] = []
        var answer = ReadersAnswer()
    }

    private let order: ReadersOrder
    private let state: Mutex<State>

    package init(_ order: ReadersOrder) {
        self.order = order
        var state = State()
        state.nanoseconds.reserveCapacity(order.requests)
        self.state = Mutex(state)
    }

    package func start() {
        state.withLock { $0.running = order.readers }
        for _ in 0..<order.readers {
            do throws(FetchFailure) {
                try DetachedThread.run { [self] in read() }
            } catch {
                end(error.detail)
            }
        }
    }

    package var hasEnded: Bool { state.withLock { $0.running == 0 } }

    package var answer: ReadersAnswer {
        state.withLock { state in
            var answer = state.answer
            let sorted = state.nanoseconds.sorted()
            answer.requests = sorted.count
            answer.medianNanoseconds = Self.quantile(0.5, of: sorted)
            answer.slowestPercentNanoseconds = Self.quantile(0.99, of: sorted)
            return answer
        }
    }

    /// Returns the smallest value that is at least as large as this share of the values; 0 for none.
    package static func quantile(_ part: Double, of sorted: [Int]) -> Int {
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1))]
    }

    private func read() {
        do throws(FetchFailure) {
            var client: ReaderClient?
            while let number = next() {
                let start = MonotonicClock.now()
                let open = if let client { client } else { try ReaderClient(port: order.port) }
                let pace = order.paces.isEmpty ? 0 : order.paces[number % order.paces.count]
                let (body, isOpen) = try open.body(milliseconds: pace, closes: order.closes)
                note(body, MonotonicClock.now() - start)
                client = isOpen ? open : nil
            }
            end(nil)
        } catch {
            end(error.detail)
        }
    }

    /// Returns the number of the next request; `nil` if there is none, or after a failure.
    private func next() -> Int? {
        state.withLock { state in
            guard state.begun < order.requests, state.answer.failure == nil else { return nil }
            defer { state.begun += 1 }
            return state.begun
        }
    }

    private func note(_ body: ReadersAnswer.Body, _ nanoseconds: Int) {
        state.withLock { state in
            state.nanoseconds.append(nanoseconds)
            state.answer.body = state.answer.body ?? body
            if state.answer.body != body, state.answer.different == nil { state.answer.different = body }
        }
    }

    private func end(_ failure: String?) {
        state.withLock { state in
            state.answer.failure = state.answer.failure ?? failure
            state.running -= 1
        }
    }
}

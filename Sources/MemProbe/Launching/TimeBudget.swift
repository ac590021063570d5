// SPDX-License-Identifier: Apache-2.0

/// A time limit that can be paused.
struct TimeBudget {
    private var left: Int?
    private var since: Int?

    /// Starts the budget; `nil` is endless.
    init(_ limit: Int?, from time: Int) {
        left = limit
        since = limit.map { _ in time }
    }

    /// The time at which it is used up unless it is paused, or `nil`.
    var end: Int? {
        guard let left, let since else { return nil }
        let (sum, isTooLarge) = since.addingReportingOverflow(left)
        return isTooLarge ? nil : sum
    }

    func isUsedUp(at time: Int) -> Bool { end.map { time >= $0 } ?? false }

    mutating func pause(at time: Int) {
        guard let remaining = left, let start = since else { return }
        left = max(0, remaining - (time - start))
        since = nil
    }

    mutating func resume(at time: Int) {
        if left != nil, since == nil { since = time }
    }

    mutating func drop() { (left, since) = (nil, nil) }
}

// SPDX-License-Identifier: Apache-2.0

import Texts

/// How far long work has come, in one line: a pure function of what happened when.
///
/// Times are those of any clock that does not go back, since the work began.
package struct ProgressBoard: Sendable {
    /// One of the things that are done one after another.
    package struct Item: Hashable, Sendable {
        package var name: String
        /// The group that it is counted in, where there are several.
        package var group: String?
        /// Which one it is in its group, from 1.
        package var position: Int
        package var count: Int

        package init(_ name: String, group: String? = nil, position: Int, of count: Int) {
            self.name = name
            self.group = group
            self.position = position
            self.count = count
        }
    }

    /// From here on it is said how long the one thing takes that is being done: shorter ones come and go.
    private static let longItem = Duration.seconds(10)

    private struct Current {
        var item: Item
        var start: Duration
        /// Where its group began, for this process: what was done before it is not counted.
        var first: (position: Int, start: Duration)
        /// How long one of its group takes, where that is known before one has ended.
        var usual: Duration?

        /// How long one of its group takes.
        var mean: Duration? {
            let done = item.position - first.position
            return done > 0 ? (start - first.start) / done : usual
        }
    }

    private let activity: String
    private let usual: Duration?
    private var current: Current?

    /// Begins.
    /// - Parameters:
    ///   - activity: what goes on before the first thing begins.
    ///   - usual: how long one of them takes, where that is known.
    package init(_ activity: String, usual: Duration? = nil) {
        self.activity = activity
        self.usual = usual
    }

    /// A thing begins, and the one before has ended.
    package mutating func began(_ item: Item, at now: Duration) {
        guard let last = current, last.item.group == item.group else {
            // Those of the group before are of the same kind, though not always of the same cases.
            let mean = current.flatMap { current -> Duration? in
                let done = current.item.position - current.first.position + 1
                return (now - current.first.start) / done
            }
            current = Current(item: item, start: now, first: (item.position, now), usual: mean ?? usual)
            return
        }
        current = Current(item: item, start: now, first: last.first, usual: last.usual)
    }

    /// What there is to say: `[37/160] 64MiB/download/thumbnail/glibc, 2:10 elapsed, about 6:20 left`.
    package func line(at now: Duration) -> String {
        guard let current else { return "\(activity), \(DurationText.clock(now)) elapsed" }
        let item = current.item
        let inItem = now - current.start
        let long = inItem >= Self.longItem ? " for \(DurationText.clock(inItem))" : ""
        let group = item.group.map { $0 + " " } ?? ""
        let left = left(at: now).map { ", about \(DurationText.clock($0)) left" } ?? ""
        return "\(group)[\(item.position)/\(item.count)] \(item.name)\(long), "
            + "\(DurationText.clock(now - current.first.start)) elapsed\(left)"
    }

    /// How long the rest of the group takes; `nil` where nothing tells.
    private func left(at now: Duration) -> Duration? {
        guard let current, let mean = current.mean else { return nil }
        let behind = current.item.count - current.item.position
        return mean * behind + max(.zero, mean - (now - current.start))
    }
}

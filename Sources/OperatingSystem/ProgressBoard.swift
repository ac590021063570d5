// SPDX-License-Identifier: Apache-2.0

import Texts

/// The progress of long work in one line, as a pure function of events and their times.
///
/// Times are since the beginning of the work, on any clock that does not go back.
package struct ProgressBoard: Sendable {
    package struct Item: Hashable, Sendable {
        package var name: String
        package var group: String?
        /// The number in its group, from 1.
        package var position: Int
        /// The number of all in its group; `nil` if that is not known before the end.
        package var count: Int?

        package init(_ name: String, group: String? = nil, position: Int, of count: Int? = nil) {
            (self.name, self.group, self.position, self.count) = (name, group, position, count)
        }
    }

    /// The time after which the duration of the current item is shown.
    private static let longItem = Duration.seconds(10)

    private struct Current {
        var item: Item
        var start: Duration
        /// The first item of its group in this process; earlier ones are not counted.
        var first: (position: Int, start: Duration)
        /// The time of one item of its group, if known before one has ended.
        var usual: Duration?

        var mean: Duration? {
            let done = item.position - first.position
            return done > 0 ? (start - first.start) / done : usual
        }
    }

    private let activity: String
    private let usual: Duration?
    private var current: Current?

    /// Starts with the activity before the first item, and the time of one item if known.
    package init(_ activity: String, usual: Duration? = nil) {
        (self.activity, self.usual) = (activity, usual)
    }

    package mutating func began(_ item: Item, at now: Duration) {
        guard let last = current, last.item.group == item.group else {
            // Items of the previous group are of the same kind, though not always of the same cases.
            let mean = current.flatMap { current -> Duration? in
                let done = current.item.position - current.first.position + 1
                return (now - current.first.start) / done
            }
            current = Current(item: item, start: now, first: (item.position, now), usual: mean ?? usual)
            return
        }
        current = Current(item: item, start: now, first: last.first, usual: last.usual)
    }

    /// Returns a line such as `[37/160] 64MiB/download/thumbnail/glibc, 2:10 elapsed, about 6:20 left`.
    package func line(at now: Duration) -> String {
        guard let current else { return "\(activity), \(DurationText.clock(now)) elapsed" }
        let item = current.item
        let inItem = now - current.start
        let long = inItem >= Self.longItem ? " for \(DurationText.clock(inItem))" : ""
        let group = item.group.map { $0 + " " } ?? ""
        let left = left(at: now).map { ", about \(DurationText.clock($0)) left" } ?? ""
        let count = item.count.map { "/\($0)" } ?? ""
        return "\(group)[\(item.position)\(count)] \(item.name)\(long), "
            + "\(DurationText.clock(now - current.first.start)) elapsed\(left)"
    }

    /// Estimates the time for the rest of the group; `nil` if unknown.
    private func left(at now: Duration) -> Duration? {
        guard let current, let mean = current.mean, let count = current.item.count else { return nil }
        let behind = count - current.item.position
        return mean * behind + max(.zero, mean - (now - current.start))
    }
}

package struct ProgressVoice: Sendable {
    package enum Style: Hashable, Sendable {
        case silent
        /// One line on a terminal, redrawn each second to show that the work is alive.
        case redrawn
        /// Lines of a log at an interval: some services end a job that is silent for minutes.
        case lines(every: Duration)

        /// The time between ticks, and before the first one; `nil` for none.
        ///
        /// The first tick of a log announces the work once it takes longer than a second.
        package var intervals: (first: Duration, rest: Duration)? {
            switch self {
            case .silent: nil
            case .redrawn: (.seconds(1), .seconds(1))
            case .lines(let interval): (min(.seconds(1), interval), interval)
            }
        }
    }

    package enum Saying: Hashable, Sendable {
        case redraw(String)
        case line(String)
    }

    private let style: Style
    private var board: ProgressBoard
    private var lastSaid: Duration?

    package init(_ style: Style, of board: ProgressBoard) {
        (self.style, self.board) = (style, board)
    }

    package mutating func began(_ item: ProgressBoard.Item, at now: Duration) -> Saying? {
        board.began(item, at: now)
        return style == .redrawn ? said(at: now) : nil
    }

    package mutating func tick(at now: Duration) -> Saying? {
        guard case .lines(let interval) = style else { return style == .silent ? nil : said(at: now) }
        // A tick that is a moment early counts, instead of waiting for the next one.
        let isDue = lastSaid.map { now - $0 >= interval * 0.9 } ?? true
        return isDue ? said(at: now) : nil
    }

    private mutating func said(at now: Duration) -> Saying {
        lastSaid = now
        let line = board.line(at: now)
        return style == .redrawn ? .redraw(line) : .line(line)
    }
}

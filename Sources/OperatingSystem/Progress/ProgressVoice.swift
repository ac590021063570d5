// SPDX-License-Identifier: Apache-2.0

/// Decides when and how progress is shown.
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
        self.style = style
        self.board = board
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

// SPDX-License-Identifier: Apache-2.0

/// When something is said of how far long work has come, and how.
package struct ProgressVoice: Sendable {
    package enum Style: Hashable, Sendable {
        /// To nobody.
        case silent
        /// To somebody at a terminal, in one line that is drawn over: each second, so that it is seen to live.
        case redrawn
        /// To a log, a line whenever so much time has passed: some services end a job that is silent for minutes.
        case lines(every: Duration)

        /// How often it is looked whether there is something to say; `nil` where there never is.
        package var interval: Duration? {
            switch self {
            case .silent: nil
            case .redrawn: .seconds(1)
            case .lines(let interval): interval
            }
        }
    }

    package enum Saying: Hashable, Sendable {
        /// In the place of the last one.
        case redraw(String)
        /// Below whatever was said.
        case line(String)
    }

    private let style: Style
    private var board: ProgressBoard
    private var lastSaid = Duration.zero

    /// Begins at time zero of the clock that all other times are taken from.
    package init(_ style: Style, of board: ProgressBoard) {
        self.style = style
        self.board = board
    }

    package mutating func began(_ item: ProgressBoard.Item, at now: Duration) -> Saying? {
        board.began(item, at: now)
        return style == .redrawn ? said(at: now) : nil
    }

    package mutating func tick(at now: Duration) -> Saying? {
        switch style {
        case .silent: nil
        case .redrawn: said(at: now)
        // A timer that is a moment early is not waited for once more.
        case .lines(let interval): now - lastSaid >= interval * 0.9 ? said(at: now) : nil
        }
    }

    private mutating func said(at now: Duration) -> Saying {
        lastSaid = now
        let line = board.line(at: now)
        return style == .redrawn ? .redraw(line) : .line(line)
    }
}

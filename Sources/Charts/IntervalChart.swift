// SPDX-License-Identifier: Apache-2.0

/// Changes with their intervals and limits.
package struct IntervalChart: Sendable {
    package enum Verdict: String, Sendable {
        /// A significant regression.
        case worse
        /// A significant improvement.
        case better
        /// No significant change.
        case same
        /// An inconclusive result.
        case open
    }

    package struct Row: Sendable {
        let label: String
        let verdict: Verdict
        let change: Double
        let interval: ClosedRange<Double>?
        let limit: Double?
        let pairs: [Double]
        let note: String

        /// Creates a row in the unit of the axis.
        /// - Parameter pairs: The change of each pair of trials, if there are pairs.
        package init(
            _ label: String, _ verdict: Verdict, change: Double, interval: ClosedRange<Double>?, limit: Double?,
            pairs: [Double], note: String
        ) {
            self.label = label
            self.verdict = verdict
            self.change = change
            self.interval = interval
            self.limit = limit
            self.pairs = pairs
            self.note = note
        }

        fileprivate var ends: [Double] {
            [change, limit ?? 0, -(limit ?? 0)] + pairs + (interval.map { [$0.lowerBound, $0.upperBound] } ?? [])
        }
    }

    private let title: String
    private let summary: String
    private let axis: String
    private let rows: [Row]

    package init(title: String, summary: String, axis: String, rows: [Row]) {
        self.title = title
        self.summary = summary
        self.axis = axis
        self.rows = rows
    }

    private static let rowHeight = 46.0

    package var picture: Picture {
        let bottom = 28 + Self.rowHeight * Double(rows.count)
        let plot = Plot(left: 20, top: 28, right: Picture.width - 20, bottom: bottom)
        let ends = rows.flatMap(\.ends).filter(\.isFinite)
        let scale = plot.horizontal(min(0, ends.min() ?? 0)...max(0, ends.max() ?? 0))
        return Picture(title, summary: summary, height: bottom + 40, style: "intervals") { markup in
            markup.label("← less than the base", x: scale.place(of: 0) - 6, y: 16, "small", anchor: "end")
            markup.label("more than the base →", x: scale.place(of: 0) + 6, y: 16, "small")
            plot.drawHorizontal(scale, name: axis, into: &markup)
            markup.line(scale.place(of: 0), plot.top, scale.place(of: 0), bottom, "zero")
            for (index, row) in rows.enumerated() {
                markup.element("g") {
                    draw(row, top: plot.top + Self.rowHeight * Double(index), scale, into: &$0)
                }
            }
        }
    }

    private func draw(_ row: Row, top: Double, _ scale: LinearScale, into markup: inout Markup) {
        let y = top + 31
        if let limit = row.limit {
            let left = scale.place(of: -limit)
            let right = scale.place(of: limit)
            markup.rectangle(
                x: left, y: y - 11, width: right - left, height: 22, "limit", title: "± the limit: not significant")
            markup.line(left, y - 11, left, y + 11, "limit-line")
            markup.line(right, y - 11, right, y + 11, "limit-line")
        }
        for (index, pair) in row.pairs.enumerated() {
            markup.shape(
                "circle",
                [
                    "cx": ChartText.coordinate(scale.place(of: pair)),
                    "cy": ChartText.coordinate(y + [6.0, -6, 9, -9][index % 4]), "r": "2.5", "class": "dot",
                ])
        }
        if let interval = row.interval {
            let low = scale.place(of: interval.lowerBound)
            let high = scale.place(of: interval.upperBound)
            markup.line(low, y, high, y, row.verdict.rawValue)
            markup.line(low, y - 5, low, y + 5, row.verdict.rawValue)
            markup.line(high, y - 5, high, y + 5, row.verdict.rawValue)
        }
        markup.mark(
            row.verdict.shape, x: scale.place(of: row.change), y: y, size: 10, row.verdict.rawValue, title: row.note)
        let words = ChartText.fitted("\(row.label): \(row.note)", into: Picture.width - 30)
        markup.label(words, x: 24, y: top + 14, row.verdict == .worse ? "halo strong" : "halo")
    }
}

extension IntervalChart.Verdict {
    /// The shape that distinguishes it without colour.
    fileprivate var shape: MarkShape {
        switch self {
        case .worse: .triangle
        case .better: .diamond
        case .same: .circle
        case .open: .square
        }
    }
}

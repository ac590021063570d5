// SPDX-License-Identifier: Apache-2.0

/// All values of each row as dots on one axis, with the median and its interval.
package struct StripPlot: Sendable {
    package struct Row: Sendable {
        let label: String
        let values: [(value: Double, name: String)]
        let median: Double
        let interval: ClosedRange<Double>?

        /// Creates a row; the name of a value is its tooltip.
        package init(
            _ label: String, values: [(value: Double, name: String)], median: Double, interval: ClosedRange<Double>?
        ) {
            self.label = label
            self.values = values
            self.median = median
            self.interval = interval
        }
    }

    private let title: String
    private let summary: String
    private let axis: String
    private let rows: [Row]
    private let namesDots: Bool

    /// - Parameter namesDots: True to give each dot a tooltip; thousands of them would make a page too large.
    package init(title: String, summary: String, axis: String, rows: [Row], namesDots: Bool) {
        self.title = title
        self.summary = summary
        self.axis = axis
        self.rows = rows
        self.namesDots = namesDots
    }

    private static let rowHeight = 26.0
    private static let widestLabel = 300.0

    package var picture: Picture {
        let bottom = 20 + Self.rowHeight * Double(rows.count)
        let widest = rows.map { ChartText.width(of: $0.label) }.max() ?? 0
        let plot = Plot(left: min(Self.widestLabel, widest) + 16, top: 20, right: Picture.width - 76, bottom: bottom)
        let values = rows.flatMap { $0.values.map(\.value) + [$0.median] }
        let scale = plot.horizontal(LinearScale.growing(values, atLeast: 0.5))
        return Picture(title, summary: summary, height: bottom + 40, style: "strips") { markup in
            plot.drawHorizontal(scale, name: axis, into: &markup)
            for (index, row) in rows.enumerated() {
                let middle = plot.top + Self.rowHeight * (Double(index) + 0.5)
                markup.element("g") { draw(row, at: middle, scale, plot, into: &$0) }
            }
            markup.line(scale.place(of: 0), plot.top, scale.place(of: 0), bottom, "axis")
        }
    }

    private func draw(_ row: Row, at y: Double, _ scale: LinearScale, _ plot: Plot, into markup: inout Markup) {
        let label = ChartText.fitted(row.label, into: Self.widestLabel)
        markup.label(label, x: plot.left - 10, y: y + 4, anchor: "end")
        drawDots(of: row, at: y, scale, into: &markup)
        if let interval = row.interval {
            let low = scale.place(of: interval.lowerBound)
            let high = scale.place(of: interval.upperBound)
            markup.line(low, y, high, y, "interval")
            markup.line(low, y - 4, low, y + 4, "interval")
            markup.line(high, y - 4, high, y + 4, "interval")
        }
        let median = scale.place(of: row.median)
        markup.line(median, y - 9, median, y + 9, "median")
        let last = row.values.map(\.value).max().map { scale.place(of: $0) } ?? median
        markup.label(ChartText.fixed(row.median, places: 2), x: max(last, median) + 9, y: y + 4, "small")
    }

    private func drawDots(of row: Row, at y: Double, _ scale: LinearScale, into markup: inout Markup) {
        guard !namesDots else {
            for (index, entry) in row.values.enumerated() {
                let shift = Self.shift(index)
                markup.shape(
                    "circle",
                    [
                        "cx": ChartText.coordinate(scale.place(of: entry.value)), "cy": ChartText.coordinate(y + shift),
                        "r": "3", "class": "dot",
                    ], title: entry.name)
            }
            return
        }
        // Dots at the same place are drawn once.
        var seen: Set<String> = []
        var path = ""
        for (index, entry) in row.values.enumerated() {
            let place =
                "M\(ChartText.coordinate(scale.place(of: entry.value).rounded())) \(ChartText.coordinate(y + Self.shift(index)))h0"
            if seen.insert(place).inserted { path += place }
        }
        markup.shape("path", ["d": path, "class": "dots"])
    }

    /// Returns the vertical offset that separates equal values.
    private static func shift(_ index: Int) -> Double {
        [0.0, -4, 4, -2, 2, -6, 6][index % 7]
    }
}

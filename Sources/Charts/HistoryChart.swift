// SPDX-License-Identifier: Apache-2.0

/// One figure over many runs with its lasting steps.
package struct HistoryChart: Sendable {
    package struct Point: Sendable {
        let name: String
        let value: Double

        /// Creates a point; the name is a commit or a time.
        package init(_ name: String, value: Double) {
            self.name = name
            self.value = value
        }
    }

    package struct Step: Sendable {
        let index: Int
        let words: String

        package init(before index: Int, _ words: String) {
            self.index = index
            self.words = words
        }
    }

    private let title: String
    private let summary: String
    private let axis: String
    private let points: [Point]
    private let steps: [Step]

    package init(title: String, summary: String, axis: String, points: [Point], steps: [Step]) {
        self.title = title
        self.summary = summary
        self.axis = axis
        self.points = points
        self.steps = steps
    }

    package var picture: Picture {
        let plot = Plot(left: 60, top: 34, right: Picture.width - 24, bottom: 190)
        let values = points.map(\.value)
        let x = LinearScale(0...Double(max(points.count - 1, 1)), from: plot.left, to: plot.right)
        let y = plot.vertical((values.min() ?? 0)...(values.max() ?? 1), ticks: 4)
        return Picture(title, summary: summary, height: 226, style: "history") { markup in
            plot.drawVertical(y, ticks: 4, name: axis, into: &markup)
            drawSteps(x, plot, into: &markup)
            let path = points.enumerated().map { index, point in
                "\(ChartText.coordinate(x.place(of: Double(index)))) \(ChartText.coordinate(y.place(of: point.value)))"
            }
            if !path.isEmpty { markup.shape("path", ["d": "M" + path.joined(separator: "L"), "class": "s0"]) }
            for (index, point) in points.enumerated() {
                markup.mark(
                    .circle, x: x.place(of: Double(index)), y: y.place(of: point.value), size: 6, "m0",
                    title: "\(point.name): \(ChartText.fixed(point.value, places: 2))")
            }
            drawNames(x, plot, into: &markup)
        }
    }

    private func drawSteps(_ x: LinearScale, _ plot: Plot, into markup: inout Markup) {
        for step in steps where points.indices.contains(step.index) {
            let place = x.place(of: Double(step.index) - 0.5)
            markup.line(place, plot.top, place, plot.bottom, "step")
            let isRight = place > (plot.left + plot.right) / 2
            markup.label(
                step.words, x: place + (isRight ? -6 : 6), y: plot.top + 12, "strong", anchor: isRight ? "end" : "start"
            )
        }
    }

    /// Draws the names of the first and the last run, and of those at a step.
    private func drawNames(_ x: LinearScale, _ plot: Plot, into markup: inout Markup) {
        let shown = Set([0, points.count - 1] + steps.map(\.index)).filter { points.indices.contains($0) }.sorted()
        var free = -Double.infinity
        for index in shown {
            let name = ChartText.fitted(points[index].name, into: 90, size: 11)
            let half = ChartText.width(of: name, size: 11) / 2
            let place = min(max(x.place(of: Double(index)), half + 4), Picture.width - half - 4)
            guard place - half > free else { continue }
            markup.label(name, x: place, y: plot.bottom + 20, "small", anchor: "middle")
            free = place + half + 8
        }
    }
}

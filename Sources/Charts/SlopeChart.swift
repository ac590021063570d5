// SPDX-License-Identifier: Apache-2.0

/// Points over sizes with straight lines through them, labelled at their ends.
package struct SlopeChart: Sendable {
    package struct Line: Sendable {
        let name: String
        let points: [(x: Double, y: Double)]
        let slope: Double
        let intercept: Double

        /// Creates the line `y = intercept + slope · x` with its points.
        package init(_ name: String, points: [(x: Double, y: Double)], slope: Double, intercept: Double) {
            self.name = name
            self.points = points
            self.slope = slope
            self.intercept = intercept
        }

        func value(at x: Double) -> Double { intercept + slope * x }

        /// Returns the part between 0 and `largest` on which the line is not below a value; `nil` for none.
        func part(to largest: Double, notBelow low: Double) -> ClosedRange<Double>? {
            let (first, last) = (value(at: 0) >= low, value(at: largest) >= low)
            guard !first || !last else { return 0...largest }
            let crossing = min(max((low - intercept) / slope, 0), largest)
            return first ? 0...crossing : last ? crossing...largest : nil
        }
    }

    private let title: String
    private let summary: String
    private let lines: [Line]

    /// Creates a chart in MiB of at most ``ChartStyle/seriesCount`` lines.
    package init(title: String, summary: String, lines: [Line]) {
        precondition(lines.count <= ChartStyle.seriesCount, "each line needs its own marker")
        self.title = title
        self.summary = summary
        self.lines = lines
    }

    private static let nameHeight = 17.0

    package var picture: Picture {
        let widest = lines.map { ChartText.width(of: $0.name) }.max() ?? 0
        let room = min(300, widest + 44)
        let height = max(300, Self.nameHeight * Double(lines.count) + 80)
        let plot = Plot(left: 52, top: 26, right: Picture.width - room, bottom: height - 40)
        let xs = lines.flatMap { $0.points.map(\.x) }
        let largest = max(xs.max() ?? 1, 1e-6)
        // A fitted line may lead below zero, where no measured growth is: the axis begins at zero all the same.
        let ys = lines.flatMap { line in
            line.points.map(\.y) + [line.value(at: 0), line.value(at: largest)].filter { $0 > 0 }
        }
        let x = plot.horizontal(0...largest)
        let y = plot.vertical(LinearScale.growing(ys, atLeast: 0.5))
        return Picture(title, summary: summary, height: height, style: "slopes") { markup in
            plot.drawHorizontal(x, name: "size of the asset, MiB", into: &markup)
            plot.drawVertical(y, name: "peak growth, MiB", into: &markup)
            for (index, line) in lines.enumerated() { draw(line, index, to: largest, x, y, into: &markup) }
            drawNames(besides: plot, from: largest, x, y, into: &markup)
        }
    }

    private func draw(
        _ line: Line, _ index: Int, to largest: Double, _ x: LinearScale, _ y: LinearScale, into markup: inout Markup
    ) {
        markup.element("g") { group in
            group.element("title") { $0.write(line.name) }
            if let part = line.part(to: largest, notBelow: y.domain.lowerBound) {
                group.line(
                    x.place(of: part.lowerBound), y.place(of: line.value(at: part.lowerBound)),
                    x.place(of: part.upperBound), y.place(of: line.value(at: part.upperBound)), "s\(index)")
            }
            var seen: Set<String> = []
            for point in line.points {
                let place = (x.place(of: point.x), y.place(of: point.y))
                let key = "\(place.0.rounded()) \(place.1.rounded())"
                guard seen.insert(key).inserted else { continue }
                group.mark(MarkShape.ofSeries[index], x: place.0, y: place.1, size: 7, "m\(index)")
            }
        }
    }

    /// Draws the names at the ends of the lines without overlaps.
    private func drawNames(
        besides plot: Plot, from largest: Double, _ x: LinearScale, _ y: LinearScale, into markup: inout Markup
    ) {
        let ends = lines.indices.map { (index: $0, y: min(y.place(of: lines[$0].value(at: largest)), plot.bottom)) }
            .sorted { ($0.y, $0.index) < ($1.y, $1.index) }
        var places = ends.map(\.y)
        for place in places.indices.dropFirst() {
            places[place] = max(places[place], places[place - 1] + Self.nameHeight)
        }
        let excess = max(0, (places.last ?? 0) - plot.bottom)
        if excess > 0, var lowest = places.last.map({ $0 - excess }) {
            for place in places.indices.reversed() {
                places[place] = min(places[place], lowest)
                lowest = places[place] - Self.nameHeight
            }
        }
        for (end, place) in zip(ends, places) {
            markup.line(x.place(of: largest) + 3, end.y, plot.right + 18, place, "grid")
            markup.mark(MarkShape.ofSeries[end.index], x: plot.right + 25, y: place, size: 7, "m\(end.index)")
            markup.label(lines[end.index].name, x: plot.right + 33, y: place + 4)
        }
    }
}

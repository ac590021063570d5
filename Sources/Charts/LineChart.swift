// SPDX-License-Identifier: Apache-2.0

package struct LineChart: Sendable {
    package struct Line: Sendable {
        package let name: String
        package let points: [(x: Double, y: Double)]
        /// The ends of a straight line through the points, or `nil` to join the points.
        package var fit: (intercept: Double, slope: Double)?
        package var names: [String] = []

        package init(_ name: String, points: [(x: Double, y: Double)]) {
            (self.name, self.points) = (name, points)
        }

        /// Returns the line's ends up to `largest`, where it is not below `low`; else its points.
        fileprivate func path(to largest: Double, notBelow low: Double) -> [(x: Double, y: Double)] {
            guard let fit else { return points }
            let ends = [0, largest].map { (x: $0, y: fit.intercept + fit.slope * $0) }
            let above = ends.filter { $0.y >= low }
            guard above.count == 1, fit.slope != 0 else { return above }
            let crossing = (x: min(max((low - fit.intercept) / fit.slope, 0), largest), y: low)
            return above[0].x == 0 ? [above[0], crossing] : [crossing, above[0]]
        }
    }

    /// A lasting change between two points, with its words.
    package typealias Step = (x: Double, words: String)

    package var title: String
    package var summary: String
    package var xAxis: String
    package var yAxis: String
    package var lines: [Line]
    package var steps: [Step] = []
    /// The names below the points of a history; without them the axis has numbers.
    package var names: [(x: Double, name: String)] = []

    package init(title: String, summary: String, xAxis: String, yAxis: String, lines: [Line]) {
        precondition(lines.count <= ChartStyle.seriesCount, "each line needs its own marker")
        (self.title, self.summary, self.xAxis, self.yAxis, self.lines) = (title, summary, xAxis, yAxis, lines)
    }

    private static let nameHeight = 18.0
    private static let nameWidth = 38.0

    package var picture: ChartPicture {
        let isNamed = lines.count > 1 || names.isEmpty
        let height = max(names.isEmpty ? 280 : 200, Self.nameHeight * Double(lines.count) + 80)
        let frame = Frame(top: 30, right: isNamed ? 98 - Self.nameWidth : 99, bottom: height - 42)
        let points = lines.flatMap(\.points)
        let largest = max(points.map(\.x).max() ?? 1, 1e-6)
        let x = names.isEmpty ? frame.horizontal(0...largest) : LinearScale(0...largest, from: 14, to: 97)
        let y = frame.vertical(vertical(to: largest))
        return ChartPicture(title, summary: summary, height: height, style: "lines") { markup in
            frame.drawVertical(y, name: yAxis, into: &markup)
            if names.isEmpty {
                frame.drawHorizontal(x, name: xAxis, into: &markup)
            } else {
                drawNames(x, frame, into: &markup)
            }
            drawSteps(x, frame, into: &markup)
            for (index, line) in lines.enumerated() { draw(line, index, to: largest, x, y, into: &markup) }
            if isNamed { drawEnds(at: largest, x, y, frame, into: &markup) }
        }
    }

    /// Sizes begin at zero; a history shows the range of its values.
    private func vertical(to largest: Double) -> ClosedRange<Double> {
        let values = lines.flatMap { $0.points.map(\.y) }
        guard names.isEmpty else { return (values.min() ?? 0)...(values.max() ?? 1) }
        // A fitted line may lead below zero, where no measured growth is.
        let ends = lines.flatMap { $0.path(to: largest, notBelow: -.infinity).map(\.y) }.filter { $0 > 0 }
        return LinearScale.growing(values + ends, atLeast: 0.5)
    }

    private func draw(
        _ line: Line, _ index: Int, to largest: Double, _ x: LinearScale, _ y: LinearScale, into markup: inout Markup
    ) {
        markup.element("g") { group in
            group.element("title") { $0.write(line.name) }
            let path = line.path(to: largest, notBelow: y.domain.lowerBound)
            for (from, to) in zip(path, path.dropFirst()) {
                group.line(x.place(of: from.x), y.place(of: from.y), x.place(of: to.x), y.place(of: to.y), "s\(index)")
            }
            var seen: Set<String> = []
            for (number, point) in line.points.enumerated() {
                let place = (x: x.place(of: point.x), y: y.place(of: point.y))
                let title = line.names.indices.contains(number) ? line.names[number] : nil
                let key = "\(ChartText.fixed(place.x, places: 1)) \(place.y.rounded())"
                guard title != nil || seen.insert(key).inserted else { continue }
                group.mark(Markup.MarkShape.ofSeries[index], x: place.x, y: place.y, size: 7, "m\(index)", title: title)
            }
        }
    }

    private func drawEnds(
        at largest: Double, _ x: LinearScale, _ y: LinearScale, _ frame: Frame, into markup: inout Markup
    ) {
        let ends = lines.indices.map { index -> (index: Int, y: Double) in
            let last = lines[index].path(to: largest, notBelow: y.domain.lowerBound).last?.y ?? y.domain.lowerBound
            return (index, y.place(of: last))
        }.sorted { ($0.y, $0.index) < ($1.y, $1.index) }
        var places = ends.map(\.y)
        for place in places.indices.dropFirst() {
            places[place] = max(places[place], places[place - 1] + Self.nameHeight)
        }
        var lowest = frame.bottom
        for place in places.indices.reversed() {
            places[place] = min(places[place], lowest)
            lowest = places[place] - Self.nameHeight
        }
        for (end, place) in zip(ends, places) {
            let name = ChartText.fitted(lines[end.index].name, to: ChartText.narrowest * 2 / 5)
            markup.line(x.place(of: largest), end.y, frame.right + 1, place, "grid")
            markup.mark(Markup.MarkShape.ofSeries[end.index], x: frame.right + 2.5, y: place, size: 7, "m\(end.index)")
            markup.label(
                name, x: frame.right + 4, y: place + 4,
                title: name == lines[end.index].name ? nil : lines[end.index].name)
        }
    }

    private func drawSteps(_ x: LinearScale, _ frame: Frame, into markup: inout Markup) {
        for step in steps {
            let place = x.place(of: step.x)
            markup.line(place, frame.top, place, frame.bottom, "step")
            let isRight = place > 50
            markup.label(
                step.words, x: place, dx: isRight ? -6 : 6, y: frame.top + 12, "strong halo",
                anchor: isRight ? "end" : "start")
        }
    }

    /// Draws the names that are apart: those of the first and the last point, and of those behind a step.
    private func drawNames(_ x: LinearScale, _ frame: Frame, into markup: inout Markup) {
        let wanted = names.enumerated().filter { index, entry in
            index == 0 || index == names.count - 1 || steps.contains { abs($0.x - entry.x) <= 0.5 && $0.x < entry.x }
        }.map(\.element)
        var free = -Double.infinity
        for entry in wanted {
            let place = x.place(of: entry.x)
            guard place > free else { continue }
            markup.label(
                ChartText.fitted(entry.name, to: 14), x: place, y: frame.bottom + 18, "small",
                anchor: Frame.anchor(at: place))
            free = place + 30
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Rows on one axis: a name and a figure above bars, dots, intervals and limits.
package struct RowChart: Sendable {
    package enum Part: String, Sendable, CaseIterable {
        case anonymous
        case file
        /// The charge of a control group beyond the others.
        case charged

        fileprivate var words: String {
            switch self {
            case .anonymous: rawValue
            case .file: "file-backed"
            case .charged: "also charged"
            }
        }
    }

    package enum Ruler: String, Sendable, CaseIterable {
        case bitmap
        case copy

        fileprivate var words: String { self == .copy ? "encoded copy" : rawValue }
    }

    package enum Verdict: String, Sendable {
        case worse, better, same, open

        fileprivate var shape: Markup.MarkShape {
            switch self {
            case .worse: .triangle
            case .better: .diamond
            case .same: .circle
            case .open: .square
            }
        }
    }

    package struct Row: Sendable {
        package var label: String
        package var note: String
        package var parts: [(part: Part, value: Double)] = []
        /// Lengths to compare the bar with, one behind the other.
        package var rulers: [(ruler: Ruler, value: Double, label: String)] = []
        package var dots: [(value: Double, name: String?)] = []
        package var interval: ClosedRange<Double>?
        /// The median of dots or the change, drawn as a line or as the mark of the verdict.
        package var middle: Double?
        package var verdict: Verdict?
        /// The changes that do not count, or the values within a budget.
        package var limit: ClosedRange<Double>?

        package init(_ label: String, note: String) {
            (self.label, self.note) = (label, note)
        }

        fileprivate var ends: [Double] {
            let bar = parts.reduce(0) { $0 + max(0, $1.value) }
            let ruler = rulers.reduce(0) { $0 + max(0, $1.value) }
            return [bar, ruler] + dots.map(\.value)
                + [interval, limit].flatMap { $0.map { [$0.lowerBound, $0.upperBound] } ?? [] }
                + (middle.map { [$0] } ?? [])
        }
    }

    package var title: String
    package var summary: String
    package var axis: String
    package var rows: [Row]
    /// The words at either side of zero, for changes.
    package var sides: (less: String, more: String)?

    package init(title: String, summary: String, axis: String, rows: [Row]) {
        (self.title, self.summary, self.axis, self.rows) = (title, summary, axis, rows)
    }

    private static let lineHeight = 16.0
    private static let barHeight = 18.0
    private static let rulerHeight = 12.0

    /// Where a label and its figure have no room beside each other on a narrow screen, the figure is below it.
    private var hasTwoLines: Bool { rows.contains { $0.label.count + $0.note.count + 2 > ChartText.narrowest } }

    private var labelHeight: Double { 4 + Self.lineHeight * (hasTwoLines ? 2 : 1) }

    private var middleOfRow: Double { labelHeight + Self.barHeight / 2 }

    private var rowHeight: Double {
        labelHeight + Self.barHeight + (rows.contains { !$0.rulers.isEmpty } ? Self.rulerHeight : 0) + 8
    }

    package var picture: ChartPicture {
        let top = legend.isEmpty && sides == nil ? 4.0 : 28 + 20 * Double((legend.count - 1) / Self.legendColumns)
        let frame = Frame(top: top, bottom: top + rowHeight * Double(rows.count))
        let values = rows.flatMap(\.ends).filter(\.isFinite)
        let domain =
            sides == nil
            ? LinearScale.growing(values, atLeast: 0.5) : min(0, values.min() ?? 0)...max(0, values.max() ?? 0)
        let scale = frame.horizontal(domain)
        return ChartPicture(title, summary: summary, height: frame.bottom + 42, style: "rows") { markup in
            drawLegend(scale, into: &markup)
            frame.drawHorizontal(scale, name: axis, into: &markup)
            markup.line(scale.place(of: 0), frame.top, scale.place(of: 0), frame.bottom, "axis")
            let unnamed = rows.enumerated().flatMap { index, row in
                dots(of: row, at: top + rowHeight * Double(index) + middleOfRow, scale)
                    .filter { $0.name == nil && $0.x.isFinite }
            }
            markup.dots(unnamed.map { ($0.x, $0.y) }, height: frame.bottom)
            for (index, row) in rows.enumerated() {
                markup.element("g") { draw(row, top: top + rowHeight * Double(index), scale, into: &$0) }
            }
        }
    }

    /// The styles that need words: parts and rulers where there are two kinds of any.
    private var legend: [(style: String, words: String)] {
        let parts = Set(rows.flatMap { $0.parts.filter { $0.value > 0 }.map(\.part) })
        let rulers = Set(rows.flatMap { $0.rulers.map(\.ruler) })
        return Part.allCases.filter(parts.contains).map { ($0.rawValue, $0.words) }
            + Ruler.allCases.filter(rulers.contains).map { ($0.rawValue, $0.words) }
    }

    private func drawLegend(_ scale: LinearScale, into markup: inout Markup) {
        if let sides {
            markup.label("← " + sides.less, x: 1, y: 16, "small")
            markup.label(sides.more + " →", x: 99, y: 16, "small", anchor: "end")
            return
        }
        for (index, entry) in legend.enumerated() {
            let (left, line) = (25 * Double(index % Self.legendColumns), 20 * Double(index / Self.legendColumns))
            markup.rectangle(x: 1 + left, y: 7 + line, width: 3, height: 12, entry.style)
            markup.label(entry.words, x: 5 + left, y: 17 + line, "small")
        }
    }

    /// Four entries fill a narrow screen.
    private static let legendColumns = 4

    private func draw(_ row: Row, top: Double, _ scale: LinearScale, into markup: inout Markup) {
        let middle = top + middleOfRow
        let label = ChartText.fitted(row.label, to: ChartText.narrowest)
        markup.label(
            label, x: 1, y: top + 15, row.verdict == .worse ? "halo strong" : "halo",
            title: label == row.label ? nil : row.label)
        let below = top + 15 + Self.lineHeight
        markup.label(
            row.note, x: hasTwoLines ? 1 : 99, y: hasTwoLines ? below : top + 15, "halo strong",
            anchor: hasTwoLines ? "start" : "end")
        drawLimit(of: row, at: middle, scale, into: &markup)
        let parts = row.parts.map { ($0.rawValue, $1, "\($0.words) \(ChartText.fixed($1, places: 2))") }
        let rulers = row.rulers.map { ($0.rawValue, $1, $2) }
        for (lengths, y, height) in [
            (parts, middle - Self.barHeight / 2, Self.barHeight),
            (rulers, middle + Self.barHeight / 2 + 3, Self.rulerHeight - 5),
        ] {
            var from = 0.0
            for (style, value, words) in lengths where value > 0 {
                let left = scale.place(of: from)
                let width = scale.place(of: from + value) - left
                markup.rectangle(x: left, y: y, width: width, height: height, style, title: words)
                from += value
            }
        }
        for dot in dots(of: row, at: middle, scale) {
            if let name = dot.name { markup.dot(x: dot.x, y: dot.y, radius: 3, title: name) }
        }
        drawMiddle(of: row, at: middle, scale, into: &markup)
    }

    private func drawLimit(of row: Row, at y: Double, _ scale: LinearScale, into markup: inout Markup) {
        guard let limit = row.limit else { return }
        let (left, right) = (scale.place(of: limit.lowerBound), scale.place(of: limit.upperBound))
        markup.rectangle(x: left, y: y - 10, width: right - left, height: 20, "limit", title: "within the limit")
        for x in [left, right] where x != scale.place(of: 0) { markup.line(x, y - 10, x, y + 10, "limit-line") }
    }

    private func drawMiddle(of row: Row, at y: Double, _ scale: LinearScale, into markup: inout Markup) {
        let style = row.verdict?.rawValue ?? "interval"
        if let interval = row.interval {
            let (low, high) = (scale.place(of: interval.lowerBound), scale.place(of: interval.upperBound))
            markup.line(low, y, high, y, style)
            for x in [low, high] { markup.line(x, y - 5, x, y + 5, style) }
        }
        guard let middle = row.middle else { return }
        let x = scale.place(of: middle)
        guard let verdict = row.verdict else { return markup.line(x, y - 9, x, y + 9, "median") }
        markup.mark(verdict.shape, x: x, y: y, size: 10, verdict.rawValue, title: row.note)
    }

    private func dots(of row: Row, at y: Double, _ scale: LinearScale) -> [(x: Double, y: Double, name: String?)] {
        row.dots.enumerated().map { index, dot in
            (scale.place(of: dot.value), y + [0.0, -4, 4, -2, 2, -6, 6][index % 7], dot.name)
        }
    }
}

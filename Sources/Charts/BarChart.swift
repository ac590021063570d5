// SPDX-License-Identifier: Apache-2.0

/// Bars of stacked parts, with rulers below for comparison.
package struct BarChart: Sendable {
    package enum Part: String, Sendable {
        /// Memory that the kernel cannot drop.
        case anonymous
        /// Pages of files.
        case file
    }

    package enum Ruler: String, Sendable {
        case bitmap
        /// The encoded bytes, once.
        case copy
    }

    package struct Row: Sendable {
        let label: String
        let parts: [(part: Part, value: Double)]
        let rulers: [(ruler: Ruler, value: Double, label: String)]
        let note: String

        /// Creates a bar; parts and rulers are stacked from zero, in the unit of the axis.
        package init(
            _ label: String, parts: [(part: Part, value: Double)],
            rulers: [(ruler: Ruler, value: Double, label: String)] = [], note: String
        ) {
            self.label = label
            self.parts = parts
            self.rulers = rulers
            self.note = note
        }

        var total: Double { parts.reduce(0) { $0 + max(0, $1.value) } }
        var extent: Double { max(total, rulers.reduce(0) { $0 + max(0, $1.value) }) }
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

    private static let rowHeight = 62.0

    package var picture: Picture {
        let bottom = 34 + Self.rowHeight * Double(rows.count)
        let widest = rows.map { ChartText.width(of: $0.label, size: 13.5) }.max() ?? 0
        let plot = Plot(left: min(220, widest + 20), top: 34, right: Picture.width - 96, bottom: bottom)
        let scale = plot.horizontal(0...max(rows.map(\.extent).max() ?? 0, 1e-6))
        return Picture(title, summary: summary, height: bottom + 40, style: "bars") { markup in
            legend(at: plot.left, into: &markup)
            plot.drawHorizontal(scale, name: axis, into: &markup)
            for (index, row) in rows.enumerated() {
                draw(row, at: plot.top + Self.rowHeight * Double(index), scale, plot, into: &markup)
            }
            markup.line(plot.left, plot.top, plot.left, bottom, "axis")
        }
    }

    private func legend(at left: Double, into markup: inout Markup) {
        let entries = [
            ("anonymous", "anonymous"), ("file", "file-backed"), ("bitmap", "bitmap"), ("copy", "encoded copy"),
        ]
        var x = left
        for (style, words) in entries {
            markup.rectangle(x: x, y: 9, width: 16, height: style == "bitmap" || style == "copy" ? 8 : 12, style)
            markup.label(words, x: x + 22, y: 19, "small")
            x += 40 + ChartText.width(of: words, size: 11)
        }
    }

    private func draw(_ row: Row, at top: Double, _ scale: LinearScale, _ plot: Plot, into markup: inout Markup) {
        markup.label(row.label, x: plot.left - 10, y: top + 27, "strong", anchor: "end")
        var from = 0.0
        for (part, value) in row.parts where value > 0 {
            let left = scale.place(of: from)
            let right = scale.place(of: from + value)
            let words = "\(part == .anonymous ? "anonymous" : "file-backed") \(ChartText.fixed(value, places: 2))"
            markup.rectangle(x: left, y: top + 10, width: right - left, height: 26, part.rawValue, title: words)
            let shown = [words, ChartText.fixed(value, places: 2), ""].first {
                ChartText.width(of: $0, size: 13.5) < right - left
            }
            markup.label(
                shown ?? "", x: (left + right) / 2, y: top + 27, part == .anonymous ? "on-anonymous" : "",
                anchor: "middle")
            from += value
        }
        markup.label(row.note, x: scale.place(of: from) + 8, y: top + 27, "strong")
        drawRulers(of: row, at: top + 40, scale, into: &markup)
    }

    private func drawRulers(of row: Row, at top: Double, _ scale: LinearScale, into markup: inout Markup) {
        var from = 0.0
        for (ruler, value, label) in row.rulers where value > 0 {
            let left = scale.place(of: from)
            let right = scale.place(of: from + value)
            let isWide = ChartText.width(of: label, size: 11) + 8 < right - left
            markup.rectangle(
                x: left + 1, y: top, width: right - left - 2, height: 15, ruler.rawValue, title: label)
            if isWide { markup.label(label, x: (left + right) / 2, y: top + 11.5, "small", anchor: "middle") }
            from += value
        }
    }
}

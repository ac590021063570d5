// SPDX-License-Identifier: Apache-2.0

/// SVG built element by element; attributes and text are escaped.
struct Markup {
    private(set) var text = ""

    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: (inout Markup) -> Void
    ) {
        begin(name, attributes)
        text += ">"
        content(&self)
        text += "</\(name)>"
    }

    /// Writes an empty element; the title is its tooltip.
    mutating func shape(_ name: String, _ attributes: KeyValuePairs<String, String>, title: String? = nil) {
        guard let title else {
            begin(name, attributes)
            text += "/>"
            return
        }
        element(name, attributes) { $0.element("title") { $0.write(title) } }
    }

    /// Writes escaped text.
    mutating func write(_ words: String) {
        text += ChartText.escaped(words)
    }

    mutating func label(
        _ words: String, x: Double, y: Double, _ style: String = "", anchor: String = "start"
    ) {
        let place: KeyValuePairs = [
            "x": ChartText.coordinate(x), "y": ChartText.coordinate(y), "class": style,
            "text-anchor": anchor == "start" ? "" : anchor,
        ]
        element("text", place) { $0.write(words) }
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
        shape(
            "line",
            [
                "x1": ChartText.coordinate(x1), "y1": ChartText.coordinate(y1), "x2": ChartText.coordinate(x2),
                "y2": ChartText.coordinate(y2), "class": style,
            ])
    }

    /// Writes a rectangle, at least 0.5 pixels wide.
    mutating func rectangle(
        x: Double, y: Double, width: Double, height: Double, _ style: String, title: String? = nil
    ) {
        shape(
            "rect",
            [
                "x": ChartText.coordinate(x), "y": ChartText.coordinate(y),
                "width": ChartText.coordinate(max(width, 0.5)), "height": ChartText.coordinate(height), "class": style,
            ], title: title)
    }

    /// Writes a mark; shapes distinguish marks without colour.
    mutating func mark(_ shape: MarkShape, x: Double, y: Double, size: Double, _ style: String, title: String? = nil) {
        self.shape("path", ["d": shape.path(x: x, y: y, size: size), "class": style], title: title)
    }

    mutating func append(_ other: Markup) {
        text += other.text
    }

    private mutating func begin(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        text += "<" + name
        for (key, value) in attributes where !value.isEmpty { text += " \(key)=\"\(ChartText.escaped(value))\"" }
    }
}

enum MarkShape: CaseIterable {
    case circle, square, triangle, diamond, cross, bar, funnel, star

    /// The shape of each of ``ChartStyle/seriesCount`` series: those from the seventh on are solid, so no two are alike.
    static let ofSeries: [MarkShape] = [
        .circle, .square, .triangle, .diamond, .cross, .bar, .circle, .square, .triangle, .diamond, .funnel, .star,
    ]

    func path(x: Double, y: Double, size: Double) -> String {
        let half = size / 2
        let at = { (dx: Double, dy: Double) in
            ChartText.coordinate(x + dx) + " " + ChartText.coordinate(y + dy)
        }
        let text = ChartText.coordinate
        return switch self {
        case .circle:
            "M\(at(-half, 0))a\(text(half)) \(text(half)) 0 1 0 \(text(size)) 0a\(text(half)) \(text(half)) 0 1 0 \(text(-size)) 0Z"
        case .square: "M\(at(-half, -half))L\(at(half, -half))L\(at(half, half))L\(at(-half, half))Z"
        case .triangle: "M\(at(0, -half))L\(at(half, half))L\(at(-half, half))Z"
        case .diamond: "M\(at(0, -half))L\(at(half, 0))L\(at(0, half))L\(at(-half, 0))Z"
        case .cross: "M\(at(-half, -half))L\(at(half, half))M\(at(half, -half))L\(at(-half, half))"
        case .funnel: "M\(at(-half, -half))L\(at(half, -half))L\(at(0, half))Z"
        case .star: "\(Self.cross.path(x: x, y: y, size: size * 0.8))\(Self.bar.path(x: x, y: y, size: size * 1.2))"
        case .bar: "M\(at(-half, 0))L\(at(half, 0))M\(at(0, -half))L\(at(0, half))"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// SVG that is put together element by element: attributes and text are escaped where they are written.
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

    /// Writes an element without anything in it; a title is what a pointer over it shows.
    mutating func shape(_ name: String, _ attributes: KeyValuePairs<String, String>, title: String? = nil) {
        guard let title else {
            begin(name, attributes)
            text += "/>"
            return
        }
        element(name, attributes) { $0.element("title") { $0.write(title) } }
    }

    /// Writes text, escaped.
    mutating func write(_ words: String) {
        text += ChartText.escaped(words)
    }

    /// Writes a line of text at a place.
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

    /// Writes a rectangle; one of no width is drawn as a hair.
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

    /// Writes a mark of a shape of its own, so that two of them differ without colours, too.
    mutating func mark(_ shape: MarkShape, x: Double, y: Double, size: Double, _ style: String, title: String? = nil) {
        self.shape("path", ["d": shape.path(x: x, y: y, size: size), "class": style], title: title)
    }

    /// Writes markup that is made already.
    mutating func append(_ other: Markup) {
        text += other.text
    }

    private mutating func begin(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        text += "<" + name
        for (key, value) in attributes where !value.isEmpty { text += " \(key)=\"\(ChartText.escaped(value))\"" }
    }
}

enum MarkShape: Int, CaseIterable {
    case circle, square, triangle, diamond, cross, bar

    /// The outline of the shape around a place.
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
        case .bar: "M\(at(-half, 0))L\(at(half, 0))M\(at(0, -half))L\(at(0, half))"
        }
    }
}

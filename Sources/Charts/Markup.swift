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

    mutating func write(_ words: String) { text += ChartText.escaped(words) }

    /// Writes text at a percentage across and pixels down, moved by `dx` pixels.
    mutating func label(
        _ words: String, x: Double, dx: Double = 0, y: Double, _ style: String = "", anchor: String = "start",
        title: String? = nil
    ) {
        let place: KeyValuePairs = [
            "x": ChartText.percent(x), "dx": dx == 0 ? "" : ChartText.coordinate(dx), "y": ChartText.coordinate(y),
            "class": style, "text-anchor": anchor == "start" ? "" : anchor,
        ]
        element("text", place) {
            if let title { $0.element("title") { $0.write(title) } }
            $0.write(words)
        }
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String = "") {
        shape(
            "line",
            [
                "x1": ChartText.percent(x1), "y1": ChartText.coordinate(y1), "x2": ChartText.percent(x2),
                "y2": ChartText.coordinate(y2), "class": style,
            ])
    }

    /// Writes a rectangle, at least a tenth of a percent wide.
    mutating func rectangle(
        x: Double, y: Double, width: Double, height: Double, _ style: String, title: String? = nil
    ) {
        shape(
            "rect",
            [
                "x": ChartText.percent(x), "y": ChartText.coordinate(y),
                "width": ChartText.percent(max(width, 0.1)), "height": ChartText.coordinate(height), "class": style,
            ], title: title)
    }

    mutating func dot(x: Double, y: Double, radius: Double, title: String) {
        shape(
            "circle",
            [
                "cx": ChartText.percent(x), "cy": ChartText.coordinate(y), "r": ChartText.coordinate(radius),
            ], title: title)
    }

    /// Writes dots as the round ends of lines without length; an element for each would make a page heavy.
    mutating func dots(_ places: [(x: Double, y: Double)], height: Double) {
        let points = Set(places.map { "M\(Int(($0.x * 100).rounded())) \(ChartText.coordinate($0.y))h0" }).sorted()
        guard !points.isEmpty else { return }
        let height = ChartText.coordinate(height)
        let place: KeyValuePairs = [
            "class": "dots", "width": "100%", "height": height, "viewBox": "0 0 10000 \(height)",
            "preserveAspectRatio": "none",
        ]
        element("svg", place) { $0.shape("path", ["d": points.joined()]) }
    }

    /// Writes a mark; shapes distinguish marks without colour.
    mutating func mark(
        _ shape: MarkShape, x: Double, y: Double, size: Double, _ style: String, title: String? = nil
    ) {
        let place: KeyValuePairs = [
            "x": ChartText.percent(x), "y": ChartText.coordinate(y), "overflow": "visible",
        ]
        element("svg", place) {
            $0.shape("path", ["d": shape.path(size: size), "class": style], title: title)
        }
    }

    mutating func append(_ other: Markup) { text += other.text }

    private mutating func begin(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        text += "<" + name
        // Places that are not given are 0.
        for (key, value) in attributes where !value.isEmpty && value != "0%" {
            text += " \(key)=\"\(ChartText.escaped(value))\""
        }
    }

    enum MarkShape: CaseIterable {
        case circle, square, triangle, diamond, cross, bar, funnel, star

        /// The shape of each of ``ChartStyle/seriesCount`` series: those from the seventh on are solid, so no two are alike.
        static let ofSeries: [MarkShape] = [
            .circle, .square, .triangle, .diamond, .cross, .bar, .circle, .square, .triangle, .diamond, .funnel, .star,
        ]

        func path(size: Double) -> String {
            let half = size / 2
            let text = ChartText.coordinate
            let at = { (x: Double, y: Double) in text(x) + " " + text(y) }
            return switch self {
            case .circle:
                "M\(at(-half, 0))a\(text(half)) \(text(half)) 0 1 0 \(text(size)) 0a\(text(half)) \(text(half)) 0 1 0 \(text(-size)) 0Z"
            case .square: "M\(at(-half, -half))L\(at(half, -half))L\(at(half, half))L\(at(-half, half))Z"
            case .triangle: "M\(at(0, -half))L\(at(half, half))L\(at(-half, half))Z"
            case .diamond: "M\(at(0, -half))L\(at(half, 0))L\(at(0, half))L\(at(-half, 0))Z"
            case .cross: "M\(at(-half, -half))L\(at(half, half))M\(at(half, -half))L\(at(-half, half))"
            case .funnel: "M\(at(-half, -half))L\(at(half, -half))L\(at(0, half))Z"
            case .star: "\(Self.cross.path(size: size * 0.8))\(Self.bar.path(size: size * 1.2))"
            case .bar: "M\(at(-half, 0))L\(at(half, 0))M\(at(0, -half))L\(at(0, half))"
            }
        }
    }
}

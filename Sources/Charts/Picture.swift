// SPDX-License-Identifier: Apache-2.0

/// A finished picture: SVG with a text alternative, for a page or a file.
package struct Picture: Sendable {
    /// The width of every picture, in pixels.
    static let width = 760.0

    package let title: String
    /// The text alternative.
    package let summary: String
    /// The height in pixels.
    package let height: Double
    private let style: String
    private let body: Markup

    init(
        _ title: String, summary: String, height: Double, style: String = "", draw: (inout Markup) -> Void
    ) {
        self.title = title
        self.summary = summary
        self.height = height
        self.style = style
        var body = Markup()
        draw(&body)
        self.body = body
    }

    /// The picture as an element of a page that includes ``ChartStyle/css``.
    package var element: String {
        var markup = Markup()
        let attributes: KeyValuePairs = [
            "viewBox": viewBox, "role": "img", "class": "chart " + style, "aria-label": alternative,
        ]
        markup.element("svg", attributes) { $0.append(body) }
        return markup.text
    }

    /// The picture as a file with its own colours, for light and dark, and its own background.
    package var document: String {
        var markup = Markup()
        let size: KeyValuePairs = [
            "xmlns": "http://www.w3.org/2000/svg", "viewBox": viewBox, "width": ChartText.coordinate(Self.width),
            "height": ChartText.coordinate(height), "role": "img", "class": "chart", "aria-label": alternative,
        ]
        markup.element("svg", size) { svg in
            svg.element("title") { $0.write(title) }
            svg.element("desc") { $0.write(summary) }
            svg.element("style") { $0.write(ChartStyle.css) }
            svg.rectangle(x: 0, y: 0, width: Self.width, height: height, "paper")
            svg.append(body)
        }
        return markup.text.split(separator: "><", omittingEmptySubsequences: false).joined(separator: ">\n<") + "\n"
    }

    private var viewBox: String { "0 0 \(ChartText.coordinate(Self.width)) \(ChartText.coordinate(height))" }

    private var alternative: String { title + ". " + summary }
}

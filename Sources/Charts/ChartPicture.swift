// SPDX-License-Identifier: Apache-2.0

/// A finished picture: SVG with a text alternative, for a page or a file.
///
/// It is as wide as its place: horizontal places are percentages, vertical ones pixels, so text keeps its size on a
/// phone and on a wide screen.
package struct ChartPicture: Sendable {
    /// The width of a file, in pixels.
    private static let width = 760.0

    package let title: String
    package let summary: String
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
            "width": "100%", "height": ChartText.coordinate(height), "role": "img", "class": "chart " + style,
            "aria-label": alternative,
        ]
        markup.element("svg", attributes) { $0.append(body) }
        return markup.text
    }

    /// The picture as a file with its own colours, for light and dark, and its own background.
    package var document: String {
        var markup = Markup()
        let size: KeyValuePairs = [
            "xmlns": "http://www.w3.org/2000/svg", "width": ChartText.coordinate(Self.width),
            "height": ChartText.coordinate(height), "role": "img", "class": "chart", "aria-label": alternative,
        ]
        markup.element("svg", size) { svg in
            svg.element("title") { $0.write(title) }
            svg.element("desc") { $0.write(summary) }
            svg.element("style") { $0.write(ChartStyle.css) }
            svg.rectangle(x: 0, y: 0, width: 100, height: height, "paper")
            svg.append(body)
        }
        return markup.text.split(separator: "><", omittingEmptySubsequences: false).joined(separator: ">\n<") + "\n"
    }

    private var alternative: String { title + ". " + summary }
}

package enum ChartStyle {
    /// The style sheet, once in a page and in each picture file.
    package static let css = String(decoding: PackageResources.chart_css, as: UTF8.self)

    /// The number of lines that can be told apart, by their colour and dash and by their mark.
    package static let seriesCount = 12
}

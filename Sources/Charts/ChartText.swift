// SPDX-License-Identifier: Apache-2.0

/// Text and numbers for pictures: escaped, and in a single number format.
package enum ChartText {
    /// Escapes text for XML and HTML, for elements and attributes.
    ///
    /// By scalars, as a quotation mark and a combining mark are one character. Characters that XML does not allow, such
    /// as most control characters, become the replacement character.
    package static func escaped(_ text: String) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": safe.append(contentsOf: "&lt;".unicodeScalars)
            case ">": safe.append(contentsOf: "&gt;".unicodeScalars)
            case "&": safe.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": safe.append(contentsOf: "&quot;".unicodeScalars)
            case "'": safe.append(contentsOf: "&#39;".unicodeScalars)
            default: safe.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return String(safe)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD: true
        case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    /// Returns a number with fixed decimal places, without the sign of a rounded zero; a dash if it is not finite.
    package static func fixed(_ value: Double, places: Int) -> String {
        var power = 1.0
        for _ in 0..<places { power *= 10 }
        let scaled = (value * power).rounded()
        guard scaled.isFinite, abs(scaled) < 9e15 else { return "–" }
        let whole = abs(Int(scaled))
        let sign = scaled < 0 ? "-" : ""
        guard places > 0 else { return sign + String(whole) }
        let digits = String(whole)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return sign + padded.dropLast(places) + "." + padded.suffix(places)
    }

    /// Returns a coordinate in tenths of a pixel, without a zero fraction.
    static func coordinate(_ value: Double) -> String {
        let text = fixed(value, places: 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns a place across a picture in hundredths of a percent.
    static func percent(_ value: Double) -> String {
        let text = fixed(value, places: 2)
        let digits = text.hasSuffix(".00") ? text.dropLast(3) : text[...]
        return digits + "%"
    }

    /// The characters that a line of a narrow screen has room for.
    static let narrowest = 50

    /// Returns a text of at most `length` characters; what does not fit is taken out of its middle.
    static func fitted(_ text: String, to length: Int) -> String {
        guard text.count > length else { return text }
        guard length > 2 else { return "" }
        return text.prefix(length / 2) + "…" + text.suffix(length - length / 2 - 1)
    }
}

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
        (self.title, self.summary, self.height, self.style) = (title, summary, height, style)
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

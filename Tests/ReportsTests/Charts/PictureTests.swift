// SPDX-License-Identifier: Apache-2.0

import Charts
import Foundation
import FoundationXML
import TestSupport
import Testing

/// One picture of each kind, with names that would be markup if they could.
enum SamplePictures {
    static let hostile = "\"'<script>alert(1)</script>&\u{301}\u{1}"

    static var all: [ChartPicture] { [bars, strips, timeline, slopes, icicle, intervals, history] }

    static var bars: ChartPicture {
        chart { row in
            row.parts = [(.anonymous, 91.5), (.file, 12.5)]
            row.rulers = [(.bitmap, 91.5, hostile), (.copy, 12.5, "copy 1")]
            row.limit = 0...60
        }
    }

    static var strips: ChartPicture {
        chart { row in
            row.dots = [(1, hostile), (2, "b")]
            (row.middle, row.interval) = (1.5, 1...2)
        }
    }

    static var intervals: ChartPicture {
        chart(sides: true) { row in
            (row.middle, row.interval, row.limit, row.verdict) = (1, 0.9...1.1, -0.1...0.1, .worse)
            row.dots = [(0.8, nil), (1.2, nil), (1.2, nil)]
        }
    }

    static func chart(sides: Bool = false, _ change: (inout RowChart.Row) -> Void) -> ChartPicture {
        var row = RowChart.Row(hostile, note: hostile)
        change(&row)
        var chart = RowChart(title: hostile, summary: hostile, axis: hostile, rows: [row])
        if sides { chart.sides = (hostile, hostile) }
        return chart.picture
    }

    static var timeline: ChartPicture {
        Timeline.pictures(of: [
            Timeline(
                title: hostile, summary: hostile,
                bands: [(hostile, 0...50, 12), ("hold", 50...100, nil)],
                lines: [(.resident, [(0, 1), (50, 8), (100, 2)]), (.anonymous, [(0, 1), (100, 1)])],
                faint: [[(0, 1), (90, 7)]])
        ])[0]
    }

    static var slopes: ChartPicture {
        LineChart(
            title: hostile, summary: hostile, xAxis: hostile, yAxis: hostile,
            lines: (0..<ChartStyle.seriesCount).map { index in
                var line = LineChart.Line("\(hostile) \(index)", points: [(1, Double(index)), (64, 3)])
                line.fit = (0, 0.1)
                return line
            }
        ).picture
    }

    static var history: ChartPicture {
        var line = LineChart.Line(hostile, points: (0..<9).map { (Double($0), $0 < 5 ? 1 : 2) })
        line.names = Array(repeating: hostile, count: 9)
        var chart = LineChart(title: hostile, summary: hostile, xAxis: "", yAxis: hostile, lines: [line])
        chart.names = (0..<9).map { (Double($0), hostile) }
        chart.steps = [(4.5, hostile)]
        return chart.picture
    }

    static var icicle: ChartPicture {
        Icicle.picture(
            title: hostile, summary: hostile,
            root: Icicle.Node(
                hostile, .whole, value: 10,
                children: [
                    Icicle.Node(hostile, .own, value: 6, children: [Icicle.Node("malloc", .system, value: 6)]),
                    Icicle.Node("stacks", .residue, value: 3), Icicle.Node("?", .unattributed, value: 1),
                ]))
    }
}

@Suite(.ownThreads)
struct PictureTests {
    @Test(arguments: SamplePictures.all.indices)
    func aPictureIsWellFormedAndItsTextIsText(index: Int) throws {
        let picture = SamplePictures.all[index]
        for text in [picture.document, picture.element] {
            let read = Elements.read(text)
            #expect(try isWellFormed(text))
            #expect(!read.names.contains("script"))
            #expect(read.attributes.first?["role"] == "img")
            #expect(read.attributes.first?["aria-label"]?.contains("\"'<script>alert(1)</script>") == true)
        }
    }

    @Test func aFileBringsItsStyleAndItsTitle() {
        let read = Elements.read(SamplePictures.bars.document)
        #expect(read.names.prefix(4) == ["svg", "title", "desc", "style"])
        #expect(read.attributes.first?["xmlns"] == "http://www.w3.org/2000/svg")
    }

    @Test func aPictureThatWasWellFormedNoMoreWouldBeSeen() throws {
        #expect(try !isWellFormed("<svg><g></svg>"))
        #expect(Elements.read("<svg><script/></svg>").names.contains("script"))
    }

    @Test func barsAreAsLongAsTheirValues() throws {
        let rectangles = Elements.read(SamplePictures.bars.element).elements("rect").filter { $0["height"] == "18" }
        let widths = try rectangles.map { try #require(Double(($0["width"] ?? "").dropLast())) }
        try #require(widths.count == 2)
        #expect(abs(widths[0] / widths[1] - 91.5 / 12.5) < 0.05)
    }

    @Test func theLegendOfEveryPartAndRulerStaysInThePicture() throws {
        let picture = SamplePictures.chart { row in
            row.parts = RowChart.Part.allCases.map { ($0, 1) }
            row.rulers = RowChart.Ruler.allCases.map { ($0, 1, "") }
        }
        let keys = Elements.read(picture.element).elements("rect").filter { $0["height"] == "12" }
        #expect(try keys.count == 5 && keys.allSatisfy { try #require(Double(($0["x"] ?? "").dropLast())) < 80 })
    }

    @Test func theBlocksOfAnIcicleAreAsWideAsWhatTheyHold() throws {
        let blocks = Elements.read(SamplePictures.icicle.element).elements("svg").filter { $0["height"] == "21" }
        let widths = try blocks.map { try #require(Double(($0["width"] ?? "").dropLast())) }
        // The whole, the function, what it called, the residue, what is unattributed.
        try #require(widths.count == 5)
        #expect(abs(widths[1] / widths[0] - 0.6) < 0.01)
        #expect(abs(widths[1] + widths[3] + widths[4] - widths[0]) < 1)
    }

    /// Their shape and whether they are solid tell them apart, without any colour.
    @Test func noTwoSeriesHaveTheSameMark() throws {
        let marks = Elements.read(SamplePictures.slopes.element).elements("path").compactMap { path -> String? in
            guard let style = path["class"], style.hasPrefix("m"), let shape = path["d"] else { return nil }
            let rule = ChartStyle.css.split(separator: "\n").first { $0.contains(".\(style){") }
            let isSolid = rule?.contains("fill:var(--paper)") != true
            return "\(style) \(Self.relative(shape)) \(isSolid)"
        }
        let kinds = Set(marks).map { $0.split(separator: " ", maxSplits: 1)[1] }
        #expect(kinds.count == ChartStyle.seriesCount && Set(kinds).count == ChartStyle.seriesCount, "\(kinds)")
    }

    private static func relative(_ path: String) -> String {
        var first: (Double, Double)?
        return path.matches(of: /([MLa])(-?[\d.]+) (-?[\d.]+)/).map { match in
            guard match.output.1 != "a", let x = Double(match.output.2), let y = Double(match.output.3) else {
                return "a"
            }
            let start = first ?? (x, y)
            first = start
            return "\(match.output.1)\(Int((x - start.0).rounded())),\(Int((y - start.1).rounded()))"
        }.joined()
    }

    /// Memory cannot be negative, whatever a line says that was fitted to a few sizes.
    @Test func anAxisOfSizesBeginsAtZero() throws {
        var fitted = LineChart.Line("a", points: [(16, 0.5), (64, 40)])
        fitted.fit = (-12, 0.8)
        let chart = LineChart(title: "t", summary: "s", xAxis: "x", yAxis: "y", lines: [fitted])
        let elements = Elements.read(chart.picture.element)
        #expect(!chart.picture.element.contains(">-"), "no tick has a minus")
        let levels = elements.elements("line").filter { $0["class"] == nil && $0["y1"] == $0["y2"] }
        let bottom = try #require(levels.compactMap { Double($0["y1"] ?? "") }.max())
        let line = try #require(elements.elements("line").first { $0["class"] == "s0" })
        #expect(Double(line["y1"] ?? "") == bottom, "it begins where it leaves the axis")
    }

    @Test func theLineOfATimelineLeadsThroughItsPoints() throws {
        let path = try #require(
            Elements.read(SamplePictures.timeline.element).elements("path").first { $0["data-line"] == "resident" })
        let numbers = try #require(path["d"]).matches(of: /-?\d+/).compactMap { Int($0.output) }
        var points = [(numbers[0], numbers[1])]
        for step in stride(from: 2, to: numbers.count, by: 2) {
            points.append((points[points.count - 1].0 + numbers[step], points[points.count - 1].1 + numbers[step + 1]))
        }
        #expect(points.map(\.0) == [0, 1000, 2000])
        // The first value, 1 of 15 at the most, then 8, then 2.
        #expect(points.map(\.1) == [700, 350, 650])
    }
}

/// Whether a text is XML, in the words of libxml2's own tool: Foundation's parser mends what is not.
private func isWellFormed(_ text: String) throws -> Bool {
    let file = FileManager.default.temporaryDirectory.appending(path: "fetchbench-picture-\(UUID().uuidString).svg")
    try text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    return try TestProcess.tool("/usr/bin/xmllint", of: "libxml2-utils", ["--noout", "--nonet", file.path]).status == 0
}

/// The elements of a text of XML, read by a parser that shares nothing with the writer.
private final class Elements: NSObject, XMLParserDelegate {
    private(set) var names: [String] = []
    private(set) var attributes: [[String: String]] = []

    static func read(_ text: String) -> Elements {
        let elements = Elements()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = elements
        _ = parser.parse()
        return elements
    }

    func elements(_ name: String) -> [[String: String]] {
        zip(names, attributes).filter { $0.0 == name }.map(\.1)
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        names.append(name)
        self.attributes.append(attributes)
    }
}

struct ChartTextTests {
    @Test(arguments: [
        (0.0, 2, "0.00"), (-0.001, 2, "0.00"), (1.005, 0, "1"), (25.03, 1, "25.0"), (-3.25, 1, "-3.3"),
        (0.05, 2, "0.05"), (1234.5, 0, "1235"), (.nan, 2, "–"), (.infinity, 0, "–"),
    ])
    func numbersHaveAFixedNumberOfPlaces(value: Double, places: Int, text: String) {
        #expect(ChartText.fixed(value, places: places) == text)
    }

    @Test func noTextIsMarkup() {
        #expect(ChartText.escaped("<script a=\"b\" c='d'>&") == "&lt;script a=&quot;b&quot; c=&#39;d&#39;&gt;&amp;")
        // A mark that combines with a quotation mark makes one character of both.
        #expect(ChartText.escaped("\"\u{301}").unicodeScalars.contains("\"") == false)
        #expect(ChartText.escaped("\u{1B}[0m\u{0}") == "\u{FFFD}[0m\u{FFFD}")
    }
}

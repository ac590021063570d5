// SPDX-License-Identifier: Apache-2.0

/// Memory over time, with bands for the phases.
package struct Timeline: Sendable {
    package enum Line: String, Sendable, CaseIterable {
        /// All resident memory.
        case resident
        /// Resident memory that is not file-backed.
        case anonymous
        case received
        /// The memory that the allocator holds, with what the program has freed.
        case allocator
        /// The memory that the program has allocated and not freed.
        case allocated

        fileprivate var label: String {
            switch self {
            case .resident, .anonymous, .received: rawValue
            case .allocator: "held by the allocator"
            case .allocated: "allocated by the program"
            }
        }
    }

    package struct Band: Sendable {
        let name: String
        let range: ClosedRange<Double>
        let exact: Double?

        /// Creates a band; `exact` is a level known independently of the points.
        package init(_ name: String, _ range: ClosedRange<Double>, exact: Double? = nil) {
            self.name = name
            self.range = range
            self.exact = exact
        }
    }

    /// The points of a line in order of time.
    package typealias Points = [(time: Double, value: Double)]

    private let title: String
    private let summary: String
    private let bands: [Band]
    private let lines: [(line: Line, points: Points)]
    private let faint: [Points]

    /// Creates a timeline in milliseconds and MiB.
    package init(
        title: String, summary: String, bands: [Band], lines: [(line: Line, points: Points)], faint: [Points]
    ) {
        self.title = title
        self.summary = summary
        self.bands = bands
        self.lines = lines
        self.faint = faint
    }

    private static let plot = Plot(left: 52, top: 46, right: Picture.width - 16, bottom: 250)
    /// The units per pixel in the plot's own coordinates.
    private static let detail = 10.0

    package var picture: Picture {
        let plot = Self.plot
        let all = lines.map(\.points) + faint
        let values = all.flatMap { $0.map(\.value) } + bands.compactMap(\.exact)
        let time = LinearScale(0...end, from: plot.left, to: plot.right)
        let size = plot.vertical(0...max(values.max() ?? 0, 1e-6))
        return Picture(title, summary: summary, height: plot.bottom + 40, style: "timeline") { markup in
            legend(into: &markup)
            drawBandNames(time, into: &markup)
            drawPlot(time, size, into: &markup)
            plot.drawVertical(size, name: "", into: &markup)
            plot.drawHorizontal(time, name: "milliseconds since the first sample", grid: false, into: &markup)
            markup.label("MiB", x: plot.left - 6, y: plot.top - 6, "small", anchor: "end")
        }
    }

    /// The end of the time axis; other trials are cut off if they last much longer.
    private var end: Double {
        let own = lines.compactMap { $0.points.last?.time }.max() ?? 0
        let others = faint.compactMap { $0.last?.time }.max() ?? 0
        return max(own, min(others, own * Self.mostLonger), 1e-3)
    }

    private static let mostLonger = 1.25

    private func legend(into markup: inout Markup) {
        var x = Self.plot.left
        var entries = lines.map { ($0.line.rawValue + "-line", $0.line.label) }
        if bands.contains(where: { $0.exact != nil }) {
            entries.append(("exact-line", "exact peak of the phase (kernel)"))
        }
        if !faint.isEmpty { entries.append(("faint-line", "resident of other trials")) }
        for (style, words) in entries {
            markup.shape(
                "path", ["d": "M\(ChartText.coordinate(x)) 12h26", "class": style])
            markup.label(words, x: x + 32, y: 16, "small")
            x += 46 + ChartText.width(of: words, size: 10.5)
        }
    }

    private func drawBandNames(_ time: LinearScale, into markup: inout Markup) {
        markup.element("g", ["class": "band-names"]) { names in
            var free = -Double.infinity
            for band in bands {
                let left = time.place(of: band.range.lowerBound)
                let words = ChartText.width(of: band.name, size: 11)
                let x = max(left, free)
                guard x + words < Self.plot.right else { continue }
                names.label(band.name, x: x + 2, y: Self.plot.top - 6, "small")
                free = x + words + 8
            }
        }
    }

    /// Draws the zoomable part: a nested picture with the scales in attributes for the script.
    private func drawPlot(_ time: LinearScale, _ size: LinearScale, into markup: inout Markup) {
        let plot = Self.plot
        let inner: KeyValuePairs = [
            "class": "plot", "x": ChartText.coordinate(plot.left), "y": ChartText.coordinate(plot.top),
            "width": ChartText.coordinate(plot.width), "height": ChartText.coordinate(plot.height),
            "viewBox":
                "0 0 \(ChartText.coordinate(plot.width * Self.detail)) \(ChartText.coordinate(plot.height * Self.detail))",
            "preserveAspectRatio": "none",
            "data-time":
                "\(ChartText.fixed(time.domain.lowerBound, places: 3)) \(ChartText.fixed(time.domain.upperBound, places: 3))",
            "data-size":
                "\(ChartText.fixed(size.domain.lowerBound, places: 4)) \(ChartText.fixed(size.domain.upperBound, places: 4))",
        ]
        markup.element("svg", inner) { svg in
            for (index, band) in bands.enumerated() { draw(band, index, time, size, into: &svg) }
            for points in faint { svg.shape("path", ["class": "faint-line", "d": path(points, time, size)]) }
            for (line, points) in lines {
                svg.shape(
                    "path",
                    ["class": line.rawValue + "-line", "data-line": line.rawValue, "d": path(points, time, size)])
            }
            for band in bands { drawExact(band, time, size, into: &svg) }
        }
    }

    private func inner(x: Double) -> Double { (x - Self.plot.left) * Self.detail }
    private func inner(y: Double) -> Double { (y - Self.plot.top) * Self.detail }

    private func path(_ points: Points, _ time: LinearScale, _ size: LinearScale) -> String {
        var path = PlotPath()
        for point in points {
            path.add(x: inner(x: time.place(of: point.time)), y: inner(y: size.place(of: point.value)))
        }
        path.finish()
        return path.text
    }

    private func draw(_ band: Band, _ index: Int, _ time: LinearScale, _ size: LinearScale, into markup: inout Markup) {
        let left = inner(x: time.place(of: band.range.lowerBound))
        let right = inner(x: time.place(of: band.range.upperBound))
        let words = band.name + (band.exact.map { ": exact peak \(ChartText.fixed($0, places: 2)) MiB" } ?? "")
        markup.rectangle(
            x: left, y: 0, width: right - left, height: Self.plot.height * Self.detail,
            index.isMultiple(of: 2) ? "band" : "band odd", title: words)
    }

    private func drawExact(_ band: Band, _ time: LinearScale, _ size: LinearScale, into markup: inout Markup) {
        guard let exact = band.exact else { return }
        let left = inner(x: time.place(of: band.range.lowerBound))
        let right = inner(x: time.place(of: band.range.upperBound))
        let y = inner(y: size.place(of: exact))
        markup.shape(
            "path",
            [
                "class": "exact-line",
                "d":
                    "M\(ChartText.fixed(left, places: 0)) \(ChartText.fixed(y, places: 0))H\(ChartText.fixed(max(right, left + 20), places: 0))",
            ])
    }
}

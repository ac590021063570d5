// SPDX-License-Identifier: Apache-2.0

/// Memory over time, with bands for the phases: one of several with the same axes.
package struct Timeline: Sendable {
    package enum Line: String, Sendable, CaseIterable {
        case resident
        /// Resident memory that is not file-backed.
        case anonymous
        case received
        /// The memory that the control group is charged.
        case charged
        /// The memory that the allocator holds, with what the program has freed.
        case allocator
        /// The memory that the program has allocated and not freed.
        case allocated

        package var words: String {
            switch self {
            case .resident, .anonymous, .received, .charged: rawValue
            case .allocator: "held by the allocator"
            case .allocated: "allocated by the program"
            }
        }
    }

    /// A phase; `exact` is a level known independently of the points.
    package typealias Band = (name: String, range: ClosedRange<Double>, exact: Double?)

    package typealias Points = [(time: Double, value: Double)]

    package let title: String
    package let summary: String
    package let bands: [Band]
    package let lines: [(line: Line, points: Points)]
    package let faint: [Points]

    package init(
        title: String, summary: String, bands: [Band], lines: [(line: Line, points: Points)], faint: [Points] = []
    ) {
        (self.title, self.summary, self.bands, self.lines, self.faint) = (title, summary, bands, lines, faint)
    }

    /// The size of the plot's own coordinates, which a page stretches to its width.
    private static let size = (width: 2000.0, height: 750.0)
    private static let frame = Frame(left: 0, top: 22, right: 100, bottom: 172)
    /// Other trials are cut off if they last longer than this, relative to the drawn one.
    private static let mostLonger = 1.25

    package static func pictures(of timelines: [Timeline]) -> [ChartPicture] {
        let end = timelines.map(\.end).max() ?? 1
        let most = timelines.map(\.most).max() ?? 1
        return timelines.map { $0.picture(to: end, most: most) }
    }

    private var end: Double {
        let own = lines.compactMap { $0.points.last?.time }.max() ?? 0
        let others = faint.compactMap { $0.last?.time }.max() ?? 0
        return max(own, min(others, own * Self.mostLonger), 1e-3)
    }

    private var most: Double {
        let values = (lines.map(\.points) + faint).flatMap { $0.map(\.value) } + bands.compactMap(\.exact)
        return max(values.max() ?? 0, 1e-6)
    }

    private func picture(to end: Double, most: Double) -> ChartPicture {
        let frame = Self.frame
        let time = LinearScale(0...end, from: 0, to: 100)
        let size = frame.vertical(0...most)
        return ChartPicture(title, summary: summary, height: frame.bottom + 42, style: "timeline") { markup in
            drawPlot(time, size, into: &markup)
            frame.drawVertical(size, name: "", into: &markup)
            frame.drawHorizontal(time, name: "ms", grid: false, into: &markup)
            drawNames(time, size, into: &markup)
        }
    }

    private func drawNames(_ time: LinearScale, _ size: LinearScale, into markup: inout Markup) {
        markup.element("g", ["class": "band-names"]) { names in
            var free = -Double.infinity
            for band in bands {
                let x = max(time.place(of: band.range.lowerBound), free)
                let width = 2.6 * Double(band.name.count) + 2
                guard x + width < 100 else { continue }
                names.label(band.name, x: x, y: Self.frame.top - 7, "small")
                free = x + width
            }
            guard let highest = bands.max(by: { $0.exact ?? 0 < $1.exact ?? 0 }), let exact = highest.exact else {
                return
            }
            let x = time.place(of: (highest.range.lowerBound + highest.range.upperBound) / 2)
            names.label(
                "\(ChartText.fixed(exact, places: 1)) MiB", x: min(max(x, 8), 92), y: size.place(of: exact) + 15,
                "strong halo", anchor: x < 20 ? "start" : x > 80 ? "end" : "middle")
        }
    }

    private func drawPlot(_ time: LinearScale, _ size: LinearScale, into markup: inout Markup) {
        let domain = { (scale: LinearScale, places: Int) in
            [scale.domain.lowerBound, scale.domain.upperBound].map { ChartText.fixed($0, places: places) }.joined(
                separator: " ")
        }
        let attributes: KeyValuePairs = [
            "class": "plot", "y": ChartText.coordinate(Self.frame.top), "width": "100%",
            "height": ChartText.coordinate(Self.frame.bottom - Self.frame.top),
            "viewBox": "0 0 \(ChartText.coordinate(Self.size.width)) \(ChartText.coordinate(Self.size.height))",
            "preserveAspectRatio": "none", "data-time": domain(time, 3), "data-size": domain(size, 4),
        ]
        markup.element("svg", attributes) { svg in
            for (index, band) in bands.enumerated() { draw(band, index, time, into: &svg) }
            for points in faint { svg.shape("path", ["class": "faint-line", "d": path(points, time, size)]) }
            for (line, points) in lines {
                svg.shape("path", ["data-line": line.rawValue, "d": path(points, time, size)])
            }
            let levels = bands.compactMap { band in
                band.exact.map { exact in
                    let ends = ends(of: band, time)
                    return
                        "M\(ends.left) \(Int(inner(y: size.place(of: exact)).rounded()))H\(max(ends.right, ends.left + 10))"
                }
            }
            if !levels.isEmpty { svg.shape("path", ["class": "exact-line", "d": levels.joined()]) }
        }
    }

    private func inner(x: Double) -> Double { x / 100 * Self.size.width }
    private func inner(y: Double) -> Double {
        (y - Self.frame.top) / (Self.frame.bottom - Self.frame.top) * Self.size.height
    }

    private func path(_ points: Points, _ time: LinearScale, _ size: LinearScale) -> String {
        var path = PlotPath()
        for point in points {
            path.add(x: inner(x: time.place(of: point.time)), y: inner(y: size.place(of: point.value)))
        }
        path.finish()
        return path.text
    }

    private func draw(_ band: Band, _ index: Int, _ time: LinearScale, into markup: inout Markup) {
        let ends = ends(of: band, time)
        let words = band.name + (band.exact.map { ": exact peak \(ChartText.fixed($0, places: 2)) MiB" } ?? "")
        markup.shape(
            "rect",
            [
                "x": "\(ends.left)", "width": "\(max(ends.right - ends.left, 1))",
                "height": ChartText.coordinate(Self.size.height), "class": index.isMultiple(of: 2) ? "" : "odd",
            ], title: words)
    }

    private func ends(of band: Band, _ time: LinearScale) -> (left: Int, right: Int) {
        let place = { (value: Double) in Int(inner(x: time.place(of: value)).rounded()) }
        return (place(band.range.lowerBound), place(band.range.upperBound))
    }

    /// A line through many points in relative steps of tenths of a pixel, to be short: a page contains hundreds of them.
    struct PlotPath {
        private(set) var text = ""
        private var last: (x: Int, y: Int)?
        /// The x of the last point on a level stretch, whose points are left out.
        private var level: Int?

        mutating func add(x: Double, y: Double) {
            let point = (x: Int(x.rounded()), y: Int(y.rounded()))
            guard let last else {
                text = "M\(point.x) \(point.y)l"
                self.last = point
                return
            }
            if point.y == last.y {
                level = point.x
                return
            }
            finish()
            step(to: point)
        }

        mutating func finish() {
            guard let level, let last else { return }
            self.level = nil
            step(to: (level, last.y))
        }

        private mutating func step(to point: (x: Int, y: Int)) {
            guard let last, point != last else { return }
            let across = point.x - last.x
            let down = point.y - last.y
            if !text.hasSuffix("l"), across >= 0 { text += " " }
            text += down < 0 ? "\(across)\(down)" : "\(across) \(down)"
            self.last = point
        }
    }
}

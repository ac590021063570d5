// SPDX-License-Identifier: Apache-2.0

/// The area of a picture between its axes: percentages across, pixels down.
struct Frame {
    var left = 1.0
    let top: Double
    var right = 99.0
    let bottom: Double

    /// The number of ticks that a narrow screen has room for.
    private static let ticks = 5

    func horizontal(_ domain: ClosedRange<Double>) -> LinearScale {
        LinearScale(rounding: domain, ticks: Self.ticks, from: left, to: right)
    }

    func vertical(_ domain: ClosedRange<Double>) -> LinearScale {
        LinearScale(rounding: domain, ticks: Self.ticks, from: bottom, to: top)
    }

    /// Draws vertical grid lines, the labels of ticks below them, and the name of the axis below these.
    func drawHorizontal(_ scale: LinearScale, name: String, grid: Bool = true, into markup: inout Markup) {
        let places = scale.places(about: Self.ticks)
        markup.element("g", ["class": "x-axis grid small"]) { axis in
            for tick in scale.ticks(about: Self.ticks) {
                let x = scale.place(of: tick)
                axis.line(x, grid ? top : bottom, x, bottom + 4)
                axis.label(ChartText.fixed(tick, places: places), x: x, y: bottom + 18, anchor: Self.anchor(at: x))
            }
        }
        markup.label(name, x: right, y: bottom + 36, "small", anchor: "end")
    }

    func drawVertical(_ scale: LinearScale, name: String, into markup: inout Markup) {
        let places = scale.places(about: Self.ticks)
        let ticks = scale.ticks(about: Self.ticks).map {
            (text: ChartText.fixed($0, places: places), y: scale.place(of: $0))
        }
        markup.element("g", ["class": "grid"]) { for tick in ticks { $0.line(left, tick.y, right, tick.y) } }
        markup.element("g", ["class": "small halo"]) {
            for (text, y) in ticks {
                // Above its line, but for the highest where names of phases stand above it.
                $0.label(text, x: left, y: name.isEmpty && y < top + 8 ? y + 12 : y - 3)
            }
        }
        if !name.isEmpty { markup.label(name, x: left, y: top - 20, "small") }
    }

    /// Returns the anchor with which a text stays inside the picture.
    static func anchor(at x: Double) -> String { x < 5 ? "start" : x > 95 ? "end" : "middle" }
}

struct LinearScale {
    let domain: ClosedRange<Double>
    let start: Double
    let end: Double

    init(_ domain: ClosedRange<Double>, from start: Double, to end: Double) {
        let isEmpty = domain.lowerBound == domain.upperBound
        let room = max(abs(domain.lowerBound) * 0.05, 1e-9)
        self.domain = isEmpty ? domain.lowerBound - room...domain.upperBound + room : domain
        (self.start, self.end) = (start, end)
    }

    init(rounding domain: ClosedRange<Double>, ticks count: Int, from start: Double, to end: Double) {
        let plain = LinearScale(domain, from: start, to: end)
        let step = plain.step(about: count)
        let low = (plain.domain.lowerBound / step).rounded(.down) * step
        let high = (plain.domain.upperBound / step).rounded(.up) * step
        self.init(low...high, from: start, to: end)
    }

    /// Returns a domain from zero to the largest value; it begins below zero only if a value is visibly negative.
    static func growing(_ values: [Double], atLeast least: Double) -> ClosedRange<Double> {
        let high = max(values.max() ?? 0, least)
        let low = min(values.min() ?? 0, 0)
        return (low < -0.02 * high ? low : 0)...high
    }

    func place(of value: Double) -> Double {
        start + (value - domain.lowerBound) / (domain.upperBound - domain.lowerBound) * (end - start)
    }

    func ticks(about count: Int) -> [Double] {
        let step = step(about: count)
        let first = (domain.lowerBound / step - 1e-9).rounded(.up)
        let last = (domain.upperBound / step + 1e-9).rounded(.down)
        guard last >= first, last - first < 100 else { return [] }
        return (0...Int(last - first)).map { (first + Double($0)) * step }
    }

    func places(about count: Int) -> Int {
        let step = step(about: count)
        var places = 0
        var power = 1.0
        while places < 6, abs((step * power).rounded() - step * power) > 1e-6 * step * power {
            places += 1
            power *= 10
        }
        return places
    }

    /// Returns the distance of ticks: 1, 2 or 5 times a power of ten.
    private func step(about count: Int) -> Double {
        let raw = (domain.upperBound - domain.lowerBound) / Double(max(count, 1))
        var power = 1.0
        while power > raw { power /= 10 }
        while power * 10 <= raw { power *= 10 }
        return [1.0, 2, 5].map { $0 * power }.first { $0 >= raw } ?? 10 * power
    }
}

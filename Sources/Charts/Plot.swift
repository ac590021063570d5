// SPDX-License-Identifier: Apache-2.0

/// The plot area of a picture with its axes.
struct Plot {
    let left: Double
    let top: Double
    let right: Double
    let bottom: Double

    var width: Double { right - left }
    var height: Double { bottom - top }

    /// Returns a horizontal scale that ends on ticks.
    func horizontal(_ domain: ClosedRange<Double>, ticks: Int = 8) -> LinearScale {
        LinearScale(rounding: domain, ticks: ticks, from: left, to: right)
    }

    /// Returns a vertical scale that ends on ticks.
    func vertical(_ domain: ClosedRange<Double>, ticks: Int = 5) -> LinearScale {
        LinearScale(rounding: domain, ticks: ticks, from: bottom, to: top)
    }

    /// Draws vertical grid lines and the labels of ticks below them.
    func drawHorizontal(
        _ scale: LinearScale, ticks: Int = 8, name: String, grid: Bool = true, into markup: inout Markup
    ) {
        let places = scale.places(about: ticks)
        markup.element("g", ["class": "x-axis"]) { axis in
            for tick in scale.ticks(about: ticks) {
                let x = scale.place(of: tick)
                axis.line(x, grid ? top : bottom, x, bottom + 4, "grid")
                axis.label(ChartText.fixed(tick, places: places), x: x, y: bottom + 17, "small", anchor: "middle")
            }
        }
        markup.label(name, x: right, y: bottom + 32, "small", anchor: "end")
    }

    /// Draws horizontal grid lines and the labels of ticks to their left.
    func drawVertical(_ scale: LinearScale, ticks: Int = 5, name: String, into markup: inout Markup) {
        let places = scale.places(about: ticks)
        for tick in scale.ticks(about: ticks) {
            let y = scale.place(of: tick)
            markup.line(left, y, right, y, "grid")
            markup.label(ChartText.fixed(tick, places: places), x: left - 6, y: y + 4, "small", anchor: "end")
        }
        markup.label(name, x: left, y: top - 8, "small")
    }
}

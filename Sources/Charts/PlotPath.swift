// SPDX-License-Identifier: Apache-2.0

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

    /// Draws a level stretch at the end.
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

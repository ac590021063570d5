// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// How somebody scrolls: where the first visible row is, every 20 ms.
///
/// Flings to rows that a seed draws, each slowing down towards its end, with a pause after most of them; then the stop.
package struct GalleryTrace: Hashable, Sendable {
    /// The time between two steps in nanoseconds.
    package static let stepNanoseconds = 20_000_000

    /// The first visible row at each step, in thousandths of a row.
    package let offsets: [Int]
    /// Which picture each item of the list shows.
    package let items: [Int]

    /// Draws a trace.
    /// - Parameters:
    ///   - pictures: How many different pictures there are; every one of them stands in the list as often.
    ///   - rounds: How often.
    ///   - columns: How many items a row has.
    ///   - rows: How many rows are visible at one time.
    package init(seed: UInt64, pictures: Int, rounds: Int, columns: Int, visibleRows rows: Int) {
        var generator = TraceGenerator(seed: seed)
        var items = (0..<rounds).flatMap { _ in (0..<pictures).shuffled(using: &generator) }
        let last = max(0, (items.count + columns - 1) / columns - rows) * 1000
        var offsets = [0]
        for gesture in 0..<8 {
            let start = offsets[offsets.count - 1]
            let target = Int.random(in: 0...last, using: &generator)
            let steps = Int.random(in: 10...30, using: &generator)
            for step in 1...steps {
                // A fling slows down: what is left of the way falls with the square of the time.
                let left = steps - step
                offsets.append(target - (target - start) * left * left / (steps * steps))
            }
            // It is looked at right when the last one ends.
            guard gesture < 7 else { break }
            offsets += [Int](repeating: target, count: Int.random(in: 0...15, using: &generator))
        }
        // The last picture is in sight where the list stops, so that every trial shows it, however slow the machine is.
        let stop = offsets[offsets.count - 1] / 1000 * columns
        let round = stop / pictures * pictures..<(stop / pictures + 1) * pictures
        if let place = items[round].firstIndex(of: pictures - 1) { items.swapAt(stop, place) }
        self.items = items
        self.offsets = offsets
    }

    /// The trace as it is stored: the pictures in their order, then a step a line.
    package var lines: [String] {
        ["pictures \(items.map(String.init).joined(separator: " "))"]
            + offsets.enumerated().map { step, offset in
                "after \(step * Self.stepNanoseconds / 1_000_000) ms row \(offset / 1000).\(Self.padded(offset % 1000))"
            }
    }

    private static func padded(_ thousandths: Int) -> String {
        String(repeating: "0", count: 3 - String(thousandths).count) + String(thousandths)
    }
}

// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// A user's scrolling: the first visible row, every 20 ms.
///
/// It consists of flings to rows drawn from a seed, each slowing down towards its end, with a pause after most of them.
package struct GalleryTrace: Hashable, Sendable {
    package static let stepNanoseconds = 20_000_000

    /// The first visible row at each step, in thousandths of a row.
    package let offsets: [Int]
    /// The picture of each item of the list.
    package let items: [Int]

    /// Draws a trace; each round of the list contains every picture once, in random order.
    package init(seed: UInt64, pictures: Int, rounds: Int, columns: Int, visibleRows rows: Int) {
        precondition(pictures > 0 && rounds > 0, "a list without pictures")
        var generator = TraceGenerator(seed: seed)
        var items = (0..<rounds).flatMap { _ in (0..<pictures).shuffled(using: &generator) }
        let last = max(0, (items.count + columns - 1) / columns - rows) * 1000
        var offsets = [0]
        for gesture in 0..<8 {
            let start = offsets[offsets.count - 1]
            let target = Int.random(in: 0...last, using: &generator)
            let steps = Int.random(in: 10...30, using: &generator)
            for step in 1...steps {
                // A fling slows down: the remaining distance decreases with the square of the time.
                let left = steps - step
                offsets.append(target - (target - start) * left * left / (steps * steps))
            }
            // The last fling has no pause after it.
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

    /// The stored form: the pictures in order, then a step per line.
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

// SPDX-License-Identifier: Apache-2.0

package import ImageLoading
import Rendering
import TrialKit

/// A scrolling list of cells in columns: visible items have a cell, which is reused when they leave.
package actor GalleryBoard {
    package typealias Load = @Sendable (Item) async throws(LoadFailure) -> LoadedPicture

    private struct Cell {
        var item: Int?
        /// Increases whenever the cell gets or loses an item, to recognize late pictures.
        var generation = 0
        var task: Task<Void, Never>?
        var picture: LoadedPicture?
        var isWaiting = false
    }

    package private(set) var counts = Counts()

    private let items: [Item]
    private let columns: Int
    private let visibleRows: Int
    private let cancels: Bool
    private let checker: PictureChecker
    private let load: Load
    private var cells: [Cell]
    private var cellOfItem: [Int: Int] = [:]
    private var free: [Int]
    private var visibleBytes = 0
    private var waiting = 0

    /// Creates a board without visible items; `cancels` is true if a cell that loses its item cancels its load.
    package init(
        items: [Item], columns: Int, visibleRows: Int, cancels: Bool, checker: PictureChecker,
        load: @escaping Load
    ) {
        (self.items, self.columns, self.visibleRows) = (items, columns, visibleRows)
        (self.cancels, self.checker, self.load) = (cancels, checker, load)
        // One more row is visible while two are partly visible.
        cells = [Cell](repeating: Cell(), count: (visibleRows + 1) * columns)
        free = Array(cells.indices)
    }

    package var waitingCount: Int { waiting }

    package func scroll(to offset: Int) {
        let first = offset / 1000 * columns
        let last = min(items.count, (offset + 999) / 1000 * columns + visibleRows * columns)
        let visible = first..<max(first, last)
        for (item, cell) in cellOfItem where !visible.contains(item) { hide(cell, item) }
        for item in visible where cellOfItem[item] == nil { show(item) }
    }

    package func clear() { for (item, cell) in cellOfItem { hide(cell, item) } }

    private func hide(_ cell: Int, _ item: Int) {
        cellOfItem[item] = nil
        if cells[cell].picture != nil { visibleBytes -= items[item].shownByteCount }
        if cells[cell].isWaiting { waiting -= 1 }
        if cancels { cells[cell].task?.cancel() }
        cells[cell] = Cell(generation: cells[cell].generation + 1)
        free.append(cell)
    }

    private func show(_ item: Int) {
        guard let cell = free.popLast() else { preconditionFailure("more items are visible than there are cells") }
        cellOfItem[item] = cell
        counts.reuses += 1
        cells[cell].generation += 1
        cells[cell].item = item
        cells[cell].isWaiting = true
        waiting += 1
        let (wanted, generation) = (items[item], cells[cell].generation)
        cells[cell].task = Task { [load] in
            do throws(LoadFailure) {
                self.arrived(try await load(wanted), in: cell, generation)
            } catch {
                self.failed(error, in: cell, generation)
            }
        }
    }

    private func arrived(_ picture: LoadedPicture, in cell: Int, _ generation: Int) {
        guard cells[cell].generation == generation, let number = cells[cell].item else {
            counts.late += 1
            return
        }
        let item = items[number]
        cells[cell].picture = picture
        settle(cell)
        counts.shown += 1
        if !checker.isRight(picture, for: item.url, sha256: item.sha256) { counts.wrong += 1 }
        if picture.markShown() { counts.shownObjects[item.url, default: 0] += 1 }
        visibleBytes += item.shownByteCount
        counts.mostVisibleBytes = max(counts.mostVisibleBytes, visibleBytes)
    }

    private func failed(_ failure: LoadFailure, in cell: Int, _ generation: Int) {
        guard cells[cell].generation == generation, let number = cells[cell].item else { return }
        settle(cell)
        switch failure {
        case .render:
            counts.fallbacks += 1
            if items[number].sha256 != nil { counts.undecoded += 1 }
        case .fetch(let failure): noteFailure("\(failure.code.rawValue): \(failure.detail)")
        case .cancelled: noteFailure("cancelled, though its cell stayed")
        }
    }

    private func noteFailure(_ text: String) {
        counts.failures += 1
        counts.firstFailure = counts.firstFailure ?? text
    }

    private func settle(_ cell: Int) {
        cells[cell].isWaiting = false
        cells[cell].task = nil
        waiting -= 1
    }

    package struct Item: Sendable {
        package var picture: Int
        package var url: String
        /// The SHA-256 of the encoded bytes, or `nil` if the item is not a picture.
        package var sha256: String?
        package var shownByteCount: Int

        package init(picture: Int, url: String, sha256: String?, shownByteCount: Int) {
            (self.picture, self.url, self.sha256) = (picture, url, sha256)
            self.shownByteCount = shownByteCount
        }
    }

    package struct Counts: Hashable, Sendable {
        package var reuses = 0
        package var shown = 0
        package var fallbacks = 0
        package var undecoded = 0
        /// Cells that showed the fallback because the picture could not be loaded.
        package var failures = 0
        package var firstFailure: String?
        /// Cells that showed a picture of another item.
        package var wrong = 0
        package var late = 0
        /// The maximum bytes of visible pictures at their cells' size.
        package var mostVisibleBytes = 0
        package var shownObjects: [String: Int] = [:]
    }
}

/// A user's scrolling: the first visible row, every 20 ms.
///
/// It consists of flings to rows drawn from a seed, each slowing down towards its end, with a pause after most of them.
package struct GalleryTrace: Hashable, Sendable {
    package static let stepNanoseconds = 20_000_000

    /// The first visible row at each step, in thousandths of a row.
    package let offsets: [Int]
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
        (self.items, self.offsets) = (items, offsets)
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

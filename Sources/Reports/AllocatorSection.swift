// SPDX-License-Identifier: Apache-2.0

import Charts
package import Runs

/// Memory kept by the program and by the allocator: an answer, a table and a picture for each case.
package struct AllocatorSection: Sendable {
    private let curves: [AllocatorCurve]

    package init?(_ curves: [AllocatorCurve]) {
        if curves.isEmpty { return nil }
        self.curves = curves
    }

    package var plain: String { "\n" + TerminalWriter().text(of: section) }
    var section: DocumentSection {
        DocumentSection(
            "allocator", "Memory kept by the program and the allocator", paragraphs: [answer],
            figures: Timeline.pictures(of: curves.map(timeline)).map { DocumentFigure(picture: $0, isTimeline: true) },
            tables: [DocumentTable("Growth since the warm-up, in MiB", table, subject: "case")], legend: [Self.legend])
    }

    private static let legend =
        "Growth since the warm-up in MiB, from one extra trial of each case, which no other table includes: a thread of its "
        + "process read the allocator's statistics every 5 ms. Program: allocated and not freed. Allocator: free pages and its "
        + "own data (an upper bound with glibc). Elsewhere: mapped files, stacks, bitmaps; negative while the program has not "
        + "touched all it allocated. Left: after everything was released, before the allocator was purged. Less than 1 MiB or "
        + "a twentieth of the peak counts as returned."

    private var answer: String {
        let kept = AllocatorCurve.Keeper.allCases.dropFirst().compactMap { keeper -> String? in
            let cases = curves.filter { $0.keeper == keeper }
            guard let most = cases.max(by: { ($0.atEnd?.resident ?? 0) < ($1.atEnd?.resident ?? 0) }) else {
                return nil
            }
            let size = FigureText.growth(most.atEnd.map { Double($0.resident) })
            return "\(Self.words(for: keeper)) in \(cases.count) (most: \(size) MiB, \(most.cell))"
        }
        let returned = curves.count { $0.keeper == .nobody }
        let first = "After the release, memory is given back in \(returned) of \(curves.count) cases"
        return kept.isEmpty ? first + "." : first + "; it is kept by " + kept.joined(separator: ", by ") + "."
    }

    private static func words(for keeper: AllocatorCurve.Keeper) -> String {
        switch keeper {
        case .nobody: "given back"
        case .program: "the program"
        case .allocator: "the allocator"
        case .elsewhere: "neither"
        }
    }

    private var table: TextTable {
        let parts = ["program", "allocator", "elsewhere"]
        var table = TextTable(["case", "kept by", "at the peak"] + parts + ["left"] + parts, words: 2)
        table.rows = curves.map { curve in
            let figures = [curve.atPeak, curve.atEnd].flatMap { holding in
                [holding?.resident, holding?.program, holding?.allocator, holding?.elsewhere]
                    .map { FigureText.growth($0.map(Double.init)) }
            }
            return [curve.cell, curve.keeper.map(Self.words) ?? FigureText.absent] + figures
        }
        return table
    }
}

// MARK: - Pictures

extension AllocatorSection {
    private static let mostPoints = 400

    private func timeline(of curve: AllocatorCurve) -> Timeline {
        let width = (curve.rows.count + Self.mostPoints - 1) / Self.mostPoints
        let rows = stride(from: 0, to: curve.rows.count, by: width).compactMap { first in
            curve.rows[first..<min(first + width, curve.rows.count)].max { $0.resident < $1.resident }
        }
        func points(_ size: (AllocatorCurve.Row) -> Int?) -> Timeline.Points {
            rows.compactMap { row in
                size(row).map { (time: Double(row.time) / 1e6, value: Double($0) / 1_048_576) }
            }
        }
        let held = points { $0.residentOfAllocator ?? $0.mapped }
        return Timeline(
            title: SafeText.forTerminal("\(curve.cell): process, allocator and program"), summary: spoken(of: curve),
            bands: bands(of: curve),
            lines: [(.resident, points { $0.resident })] + (held.isEmpty ? [] : [(.allocator, held)])
                + [(.allocated, points { $0.allocated })])
    }

    private func bands(of curve: AllocatorCurve) -> [Timeline.Band] {
        curve.rows.filter { !$0.phase.isEmpty }.grouped(by: \.phase).map { group in
            let times = group.elements.map { Double($0.time) / 1e6 }
            return (group.key, (times.first ?? 0)...(times.last ?? 0), nil)
        }
    }

    private func spoken(of curve: AllocatorCurve) -> String {
        func text(_ name: String, _ holding: AllocatorCurve.Holding?) -> String {
            guard let holding else { return "" }
            let figures = [holding.resident, holding.program, holding.allocator].map { FigureText.growth(Double($0)) }
            return "\(name) \(figures[0]) MiB: the program holds \(figures[1]) of it, the allocator \(figures[2]). "
        }
        return text("At the peak", curve.atPeak) + text("After the release", curve.atEnd)
    }
}

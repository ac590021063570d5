// SPDX-License-Identifier: Apache-2.0

/// A Markdown table.
enum Table {
    static func render(_ lines: [Line]) -> String {
        let head = ["cost of", "measured", "bar", "unit", "met", "how"]
        let rows = [head] + lines.map(cells)
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var drawn = rows.map { row in
            "| " + zip(row, widths).map(pad).joined(separator: " | ") + " |"
        }
        drawn.insert("|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|", at: 1)
        return drawn.joined(separator: "\n")
    }

    private static func cells(of line: Line) -> [String] {
        let verdict = line.isMet.map { $0 ? "yes" : "NO" }
        return [
            line.name, line.cost.map(number) ?? "", number(line.bar), line.unit, verdict ?? "not measured", line.note,
        ]
    }

    private static func pad(_ cell: String, to width: Int) -> String {
        cell + String(repeating: " ", count: width - cell.count)
    }

    /// Formats two decimals without Foundation.
    private static func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let fraction = abs(hundredths % 100)
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing
import Texts

struct TerminalLayoutTests {
    private func table(_ rows: [[String]], _ header: [String] = ["asset", "mode", "n", "peak"]) -> TextTable {
        var table = TextTable(header, words: 2)
        table.rows = rows
        return table
    }

    @Test func constantColumnsAreNamedOnce() {
        let condensed = table([["64MiB", "data", "5", "+1.00"], ["64MiB", "raw", "5", "+1.00"]])
            .condensed(subject: "mode", counts: ["n"])
        #expect(condensed.table.header == ["mode", "peak"], "an equal figure is still a figure")
        #expect(condensed.caption == "In every row: asset 64MiB, n 5.\n")
    }

    @Test func aSingleRowKeepsItsSubject() {
        let condensed = table([["64MiB", "data", "5", "–"]]).condensed(subject: "mode", counts: ["n"])
        #expect(condensed.table.header == ["mode"], "a figure that is absent everywhere is left out")
        #expect(condensed.constants == ["asset 64MiB", "n 5"])
    }

    @Test func rowsOfAnotherKindDoNotMatter() {
        let rows = [["64MiB", "data", "5", "1"], ["64MiB", "raw", "5", "1"], ["", "(nothing fetched)", "5", "0"]]
        #expect(table(rows).condensed(subject: "mode").table.header.contains("asset"))
        let condensed = table(rows).condensed(subject: "mode", exceptions: [2])
        #expect(condensed.table.header == ["mode", "n", "peak"] && condensed.constants == ["asset 64MiB"])
    }

    @Test func theLabelOfAnotherKindMovesToTheFirstColumn() {
        let rows = [["1MiB", "data", "5", "1"], ["2MiB", "data", "5", "2"], ["", "(nothing fetched)", "5", "0"]]
        let condensed = table(rows).condensed(subject: "mode", exceptions: [2], label: "(nothing fetched)")
        #expect(condensed.table.rows.map(\.first) == ["1MiB", "2MiB", "(nothing fetched)"])
    }

    @Test func emptyCellsDiffer() {
        let condensed = table([["", "data", "5", "1"], ["delay", "data", "5", "2"]]).condensed(subject: "mode")
        #expect(condensed.table.header.contains("asset"))
    }

    @Test(arguments: [120, 80, 60, 40])
    func noLineIsWiderThanTheTerminal(width: Int) {
        let header = ["asset", "mode"] + (1...9).map { "figure \($0)" }
        let rows = ["data", "download", "a-mode-with-a-very-long-name-of-somebody-else"].map { mode in
            ["hero-progressive", mode] + (1...9).map { "+\($0)00.00" }
        }
        let text = table(rows, header).plain(width: width)
        for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
        for row in rows {
            for cell in row[2...] { #expect(text.contains(cell)) }
        }
    }

    @Test func groupsStandAboveTheirRows() {
        let rows = [["hero", "data", "5", "+1.00"], ["hero", "raw", "5", "+2.00"], ["64MiB", "raw", "5", "+3.00"]]
        let text = table(rows).plain(width: 20)
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("•") } == ["• hero", "• 64MiB"])
    }

    @Test func proseBreaksAtSpacesOnly() {
        let path = "/a/path/that/is/longer/than/the/line"
        let text = Prose.wrapped("one two three \(path) and 12.5 MiB (99.8 %) more", width: 20, indent: 2)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.count <= 20 || $0.contains(path) }, "\(text)")
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") })
        #expect(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("12.5 MiB (99.8 %) more"))
        #expect(!lines.contains { $0.hasPrefix("  MiB") || $0.hasPrefix("  %") }, "a unit stays with its number")
    }

    @Test(arguments: ["", "  two spaces stay", "line\nbreaks\n\nstay\n"])
    func shortTextStaysAsItIs(text: String) { #expect(Prose.wrapped(text) == text) }

    @Test func longNamesLoseTheirMiddle() {
        let names = (1...3).map { "./build/tool --input a-very-long-file-name-\($0).bin" }
        let cut = names.map { Prose.cut($0, to: 30) }
        #expect(Set(cut).count == 3 && cut.allSatisfy { $0.count == 30 })
        #expect(Prose.cut("short", to: 30) == "short")
        let end = String(repeating: "x", count: 60)
        let inside = ["one", "two", "three"].map { "\(end) --size \($0) \(end)" }
        let parts = inside.map { Prose.cut($0, to: 30, among: inside) }
        #expect(zip(parts, ["one", "two", "three"]).allSatisfy { $0.contains($1) && $0.count <= 30 }, "\(parts)")
    }
}

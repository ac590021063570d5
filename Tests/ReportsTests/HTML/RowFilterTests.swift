// SPDX-License-Identifier: Apache-2.0

import Foundation
import Reports
import TestSupport
import Testing

/// Rows of tables are filtered by text and by the values of columns.
@Suite(.serialized, .ownThreads, .timeLimit(.minutes(4)))
struct RowFilterTests {
    private static let page: String = {
        var section = DocumentSection("rows", "Rows")
        section.tables = [
            DocumentTable(
                "Rows", header: ["name", "library", "observed"],
                rows: [
                    row("caches", "URLSession", "broken"), row("share", "OpenCombine", "holds"),
                    row("retry", "OpenCombine", "as it is"),
                ], choices: [1, 2])
        ]
        var document = Document(title: "Behaviours", answer: [], sections: [section])
        document.isWide = true
        return PageWriter.text(of: document)
    }()

    private static func row(_ name: String, _ library: String, _ word: String) -> DocumentTable.Row {
        DocumentTable.Row(
            [
                DocumentTable.Cell(name, link: "https://example.org/\(name)"), DocumentTable.Cell(library),
                DocumentTable.Cell(word, link: "javascript:0"),
            ],
            identifier: "row-" + name)
    }

    private static let shown =
        "[...document.querySelectorAll('tbody tr')].filter(r => r.checkVisibility()).map(r => r.id).join()"

    private static func choose(_ index: Int, _ value: String) -> Browser.Step {
        .evaluate(
            "(s => { s.value = '\(value)'; s.dispatchEvent(new Event('change')); return s.value; })"
                + "(document.querySelectorAll('select')[\(index)])")
    }

    @Test func rowsAreFilteredByTextAndByChoices() throws {
        let type = "(i => { i.value = 'RE'; i.dispatchEvent(new Event('input')); })(document.querySelector('input'))"
        let seen = try Browser.open(
            Self.page, tree: true,
            [
                .evaluate(Self.shown), Self.choose(0, "OpenCombine"), .evaluate(Self.shown), .evaluate(type),
                .evaluate(Self.shown), .evaluate("document.querySelector('output').textContent"),
                Self.choose(1, "holds"),
                .evaluate(Self.shown),
            ]
        ).seen
        #expect(seen.values[0] == .text("row-caches,row-share,row-retry"))
        #expect(seen.values[1] == .text("OpenCombine") && seen.values[2] == .text("row-share,row-retry"))
        // The text is looked for in all columns, whatever its case: "share" has an "re", too.
        #expect(seen.values[4] == .text("row-share,row-retry"))
        #expect(seen.values[5] == .text("2 of 3"))
        #expect(seen.values[7] == .text("row-share"))
        let names = seen.tree.filter { $0.role == "combobox" || $0.role == "searchbox" }.map { node in
            node.name.trimmingCharacters(in: .whitespaces)
        }
        #expect(names == ["Show rows with", "library", "observed"])
        #expect(seen.requests.isEmpty && seen.messages.isEmpty)
    }

    @Test func withoutScriptsEveryRowIsShown() throws {
        let links = "[...document.querySelectorAll('td a')].map(a => a.getAttribute('href')).join()"
        let seen = try Browser.open(
            Self.page, on: Browser.Screen(runsScripts: false),
            [.evaluate(Self.shown), .evaluate("document.querySelectorAll('select').length"), .evaluate(links)]
        ).seen
        #expect(seen.values[0] == .text("row-caches,row-share,row-retry"))
        #expect(seen.values[1] == .number(0))
        // Nothing but pages of the web and of this one is linked.
        let expected = ["caches", "share", "retry"].map { "https://example.org/" + $0 }.joined(separator: ",")
        #expect(seen.values[2] == .text(expected))
    }
}

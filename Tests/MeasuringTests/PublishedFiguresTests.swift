// SPDX-License-Identifier: Apache-2.0

import Foundation
import Runs
import Testing

/// The published figures of another system, the k derived from them, and the copy of both in docs/published-figures.md.
struct PublishedFiguresTests {
    private let published = PublishedFigures.iOS

    @Test(arguments: [
        ("data", false, "2.40"), ("data", true, "2.12"), ("download", false, "0.32"), ("download", true, "0.12"),
        ("stream", false, "–"), ("stream", true, "–"),
    ])
    func kIsDerivedByOurOwnDefinition(mode: String, rendered: Bool, copies: String) {
        #expect(FigureText.ratio(published.copies(of: mode, rendered: rendered)) == copies)
    }

    @Test func thePublishedSavingStaysWithRendering() {
        #expect(published.savings == "26 MB without rendering, 25 MB with it")
    }

    @Test func theInferenceIsNamedAsOneWithItsFreeNumber() {
        let text = published.inference.joined(separator: " ")
        #expect(text.contains("96 MB or 91.55 MiB, and 96 does not fit in 93."))
        #expect(text.contains("An inference in these mixed units: 118 = 91.55 + 2 × 12.49 + 1.45,"))
        #expect(text.contains("93 = 91.55 + 0 × 12.49 + 1.45; 1.45 is fitted"))
    }

    @Test func aTerminalShowsEveryLineWhole() {
        for line in published.explanation { #expect(line.count <= 120, "\(line)") }
    }

    @Test func theDocumentHasTheSameFiguresAndTheSource() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/published-figures.md"
        ).path
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = lines.filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(rows.count { $0.last == published.heading } == 1)
        for fetch in [published.data, published.download] {
            for (suffix, rendered) in [("", false), (" + rendering", true)] {
                let row = try #require(rows.first { $0.first == fetch.name + suffix })
                #expect(row.last == FigureText.ratio(published.copies(of: fetch.mode, rendered: rendered)))
            }
        }
        // Without the sources of figures, which readers do not see.
        let text = lines.joined(separator: " ").replacing(/<!--.*?-->/, with: "")
        let shown = "\(published.site), *\(published.title)*](\(published.address))"
        for part in [shown, published.megabytes, published.savings] { #expect(text.contains(part), "\(part)") }
    }
}

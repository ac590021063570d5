// SPDX-License-Identifier: Apache-2.0

import Foundation
import Reports
import Runs
import TestSupport
import Testing

/// What readers see of a page at the width of their window, measured in a browser.
@Suite(.serialized, .ownThreads, .timeLimit(.minutes(10)))
struct PageLayoutTests {
    private static let kinds = ["run", "sweep", "judgement"]

    private static func page(_ kind: String) throws -> String {
        switch kind {
        case "run": try SamplePages.run()
        case "sweep": try Formats.runPage.text(of: Report(SamplePages.publishedSweep()))
        case "judgement": try Formats.judgementPage.text(of: SamplePages.judgement())
        default: try SamplePages.odd(kind)
        }
    }

    /// What cannot be seen or read: text that is cut, small or on other text, and a page wider than its window.
    private static func faults(in page: String, at width: Int) throws -> [String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let script = try String(contentsOf: folder.appending(path: "page-faults.js"), encoding: .utf8)
        let expression = script.split(separator: "\n").drop { $0.hasPrefix("//") }.joined(separator: "\n")
        let seen = try Browser.open(page, on: Browser.Screen(width: width), [.evaluate(expression)]).seen
        #expect(seen.requests.isEmpty && seen.messages.isEmpty, "\(seen.messages)")
        guard case .list(let found)? = seen.values.last else { return ["nothing was measured: \(seen.values)"] }
        return found.map { value in
            guard case .text(let text) = value else { return "\(value)" }
            return text
        }
    }

    @Test(arguments: kinds, [390, 768, 1280, 1920])
    func everythingIsReadable(kind: String, width: Int) throws {
        let faults = try Self.faults(in: Self.page(kind), at: width)
        #expect(faults.isEmpty, "\(faults.prefix(10))")
    }

    @Test(arguments: SamplePages.oddKinds) func anUnusualRunIsReadable(kind: String) throws {
        let page = try Self.page(kind)
        #expect(page.utf8.count < 600_000, "\(page.utf8.count)")
        let faults = try Self.faults(in: page, at: 390)
        #expect(faults.isEmpty, "\(faults.prefix(10))")
    }

    @Test func aRunWithoutAFigureSaysSo() throws {
        for kind in ["no trial", "no completed trial"] {
            // The script tests for numbers.
            let page = try SamplePages.odd(kind).replacing(/<script>.*<\/script>/.dotMatchesNewlines(), with: "")
            #expect(page.contains("trials completed; no case has a figure to lead with."))
            #expect(!page.contains("NaN") && !page.contains("inf ") && !page.contains("class=\"chart"))
        }
    }

    @Test(arguments: [
        "<p style='width:900px'>wide</p>", "<p style='font-size:11px'>small</p>",
        "<div style='position:relative;left:-40px'>to the left</div>",
        "<main><div style='overflow:hidden;width:20px;white-space:nowrap'>it is cut</div></main>",
        "<svg class='chart' width='300' height='60'><text y='20'>one</text><text y='22' x='4'>other</text></svg>",
        "<svg class='chart' viewBox='0 0 900 300' width='300' height='100'><text y='99'>scaled</text></svg>",
    ]) func aPageWithAFaultIsFound(body: String) throws {
        #expect(try !Self.faults(in: "<!DOCTYPE html><meta charset=utf-8>" + body, at: 390).isEmpty)
    }
}

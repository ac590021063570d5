// SPDX-License-Identifier: Apache-2.0

import Foundation
import Profiles
import Reports
import Runs
import TestSupport
import Testing

/// The layout of pages at several window widths, measured in a browser.
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

    /// The layout faults of each page at its width: text that is clipped, too small or overlapping, and pages wider than
    /// their window; one browser looks at all of them.
    private static func faults(in pages: [(text: String, width: Int)]) throws -> [[String]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let script = try String(contentsOf: folder.appending(path: "page-faults.js"), encoding: .utf8)
        let expression = script.split(separator: "\n").drop { $0.hasPrefix("//") }.joined(separator: "\n")
        let steps = pages.flatMap { [Browser.Step.page($0.text, width: $0.width), .evaluate(expression)] }
        let seen = try Browser.open("<!DOCTYPE html>", steps).seen
        #expect(seen.requests.isEmpty && seen.messages.isEmpty, "\(seen.messages)")
        return stride(from: 1, to: seen.values.count, by: 2).map { place in
            guard case .list(let found)? = seen.values[place] else { return ["nothing was measured"] }
            return found.map { value in
                guard case .text(let text) = value else { return "\(value)" }
                return text
            }
        }
    }

    @Test(arguments: kinds) func everythingIsReadable(kind: String) throws {
        let page = try Self.page(kind)
        let widths = [390, 768, 1280, 1920]
        let faults = try Self.faults(in: widths.map { (page, $0) })
        #expect(faults.count == widths.count)
        for (width, faults) in zip(widths, faults) { #expect(faults.isEmpty, "\(width): \(faults.prefix(10))") }
    }

    @Test func anUnusualRunIsReadable() throws {
        let pages = try SamplePages.oddKinds.map { try Self.page($0) }
        let faults = try Self.faults(in: pages.map { ($0, 390) })
        #expect(faults.count == pages.count)
        for (kind, (page, faults)) in zip(SamplePages.oddKinds, zip(pages, faults)) {
            #expect(page.utf8.count < 600_000, "\(kind): \(page.utf8.count)")
            #expect(faults.isEmpty, "\(kind): \(faults.prefix(10))")
        }
    }

    @Test func aRunWithoutAFigureSaysSo() throws {
        for kind in ["no trial", "no completed trial"] {
            // The script tests for numbers.
            let page = try SamplePages.odd(kind).replacing(/<script>.*<\/script>/.dotMatchesNewlines(), with: "")
            #expect(page.contains("trials completed; no case has a figure to lead with."))
            #expect(!page.contains("NaN") && !page.contains("inf ") && !page.contains("class=\"chart"))
        }
    }

    @Test func everyPageWithAFaultIsFound() throws {
        let bodies = [
            "<p style='width:900px'>wide</p>", "<p style='font-size:11px'>small</p>",
            "<div style='position:relative;left:-40px'>to the left</div>",
            "<main><div style='overflow:hidden;width:20px;white-space:nowrap'>it is cut</div></main>",
            "<svg class='chart' width='300' height='60'><text y='20'>one</text><text y='22' x='4'>other</text></svg>",
            "<svg class='chart' viewBox='0 0 900 300' width='300' height='100'><text y='99'>scaled</text></svg>",
        ]
        let faults = try Self.faults(in: bodies.map { ("<!DOCTYPE html><meta charset=utf-8>" + $0, 390) })
        #expect(faults.count == bodies.count && faults.allSatisfy { !$0.isEmpty && $0 != ["nothing was measured"] })
    }
}

/// Names of modes, assets, commands and URLs that would be markup if they could.
@Suite(.serialized, .ownThreads, .timeLimit(.minutes(10)))
struct HostileNameTests {
    /// As a string of JSON: it ends an attribute, an element, a title and a script, and begins a script.
    private static let hostile =
        #"x\"'\u0301\"><\/title><\/style><\/script><b id=owned>owned<\/b><script>window.owned = 1<\/script>"#

    /// The hostile name where a mode, an asset, a suite, a URL and the command were.
    private static func poisoned(_ text: String) -> String {
        var text = text
        for word in ["stream", "raw"] { text = text.replacing("\"\(word)\"", with: "\"\(hostile)\(word)\"") }
        text = text.replacing("\"suite\" : \"", with: "\"suite\" : \"\(hostile)")
        text = text.replacing("\"location\" : \"", with: "\"location\" : \"http://h/\(hostile)")
        text = text.replacing("\"reproduce\" : \"", with: "\"reproduce\" : \"\(hostile)")
        return text.replacing("\"hero\"", with: "\"\(hostile)hero\"")
    }

    private static let questions: [Browser.Step] = [
        .evaluate("typeof window.owned"), .evaluate("document.querySelectorAll('#owned, b').length"),
        .evaluate("document.scripts.length"),
        .evaluate("document.body.textContent.includes('<script>window.owned')"),
    ]

    @Test func theyAreTextOnThePageOfARun() throws {
        let page = try SamplePages.run(Self.poisoned)
        let seen = try Browser.open(page, tree: true, Self.questions).seen
        #expect(seen.values == [.text("undefined"), .number(0), .number(1), .truth(true)])
        #expect(seen.requests.isEmpty)
        #expect(seen.messages.isEmpty)
        #expect(seen.tree.contains { $0.role == "image" && $0.name.contains("<script>window.owned") })
    }

    @Test func theyAreTextOnThePageOfAJudgement() throws {
        let name = "x\"'\u{301}\"></title></script><b id=owned>owned</b><script>window.owned = 1</script>"
        let page = try Formats.judgementPage.text(of: SamplePages.judgement(named: name))
        let seen = try Browser.open(page, Self.questions).seen
        #expect(seen.values == [.text("undefined"), .number(0), .number(1), .truth(true)])
        #expect(seen.requests.isEmpty)
        #expect(seen.messages.isEmpty)
    }

    @Test func aNameThatWasMarkupWouldBeSeen() throws {
        let seen = try Browser.open(
            "<!DOCTYPE html><p>x<b id=owned>owned</b><script>window.owned = 1</script></p>", Self.questions
        ).seen
        #expect(seen.values.prefix(3) == [.text("number"), .number(1), .number(1)])
    }

    /// A script that came into the page by whatever way is stopped by the page's policy: it runs ours and no other.
    @Test func aScriptThatIsNotOursDoesNotRun() throws {
        let page = try SamplePages.run().replacing("</main>", with: "<script>window.owned = 1</script></main>")
        let seen = try Browser.open(page, Self.questions).seen
        #expect(seen.values.first == .text("undefined"))
        #expect(!seen.messages.isEmpty)
    }
}

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

/// Captions below icicle charts, and which profiles are drawn.
struct HolderCaptionTests {
    private func page(_ profile: HolderProfile) throws -> String {
        try SamplePages.withRun { run, folder in
            let entry = ExplanationRecord.Entry(cell: run.plan.cases[1].identifier, profile: profile)
            try RunStore.write(ExplanationRecord(entries: [entry]), to: folder)
            return try Formats.runPage.text(of: Report(run, in: folder))
        }
    }

    @Test func aCaptionOfAPlainProfileHasNoWarning() throws {
        let text = try page(SamplePages.profile(named: "case"))
        #expect(text.contains("case on glibc: 32.00 MiB by the kernel"))
        #expect(!text.contains("Warning: "))
        #expect(!text.contains("Not drawn: "))
    }

    @Test func aCaptionWarnsOfWhatIsDoubtful() throws {
        var profile = SamplePages.profile(named: "case")
        profile.plainPeak = 20 << 20
        profile.recorder.lostCount = 7
        let text = try page(profile)
        #expect(text.contains("Warning: the process that is explained reached 32.0 MiB, and 20.0 MiB without"))
        #expect(text.contains("Warning: 7 blocks did not fit"))
    }

    @Test func aCaptionSaysWhatHasNoWidth() throws {
        var profile = SamplePages.profile(named: "case")
        profile.holders.append(Holder(stack: [1, 2], bytes: -1 << 20, blockCount: 1))
        profile.residues.append(Residue(.mappings, bytes: -(1 << 18)))
        #expect(
            try page(profile).contains("Not drawn: less 1.2 MiB that was there at the mark and has been given back."))
        profile.explainedPeak = 24 << 20
        #expect(
            try page(profile).contains("given back, and less 1.8 MiB by which rows that are estimates are too large."))
    }

    @Test(arguments: [Int.min, Int.max])
    func aProfileThatNoMachineHasIsRefused(value: Int) throws {
        let numbers: [WritableKeyPath<HolderProfile, Int>] = [\.explainedPeak, \.residues[0].bytes, \.holders[0].bytes]
        for number in numbers {
            var profile = SamplePages.profile(named: "case")
            profile[keyPath: number] = value
            #expect(throws: FetchBenchError.self) { try page(profile) }
        }
    }
}

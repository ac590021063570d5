// SPDX-License-Identifier: Apache-2.0

import Reports
import TestSupport
import Testing

/// The pages in a real browser.
@Suite(.serialized, .ownThreads, .timeLimit(.minutes(10)))
struct BrowserTests {
    private static let unfold = Browser.Step.evaluate(
        "document.querySelectorAll('details').forEach(d => { d.open = true }); 0")

    @Test func aPageThatDidWouldBeSeen() throws {
        let page = """
            <!DOCTYPE html><img src="http://127.0.0.1:9/x.png"><script>console.log("a"); throw new Error("b")</script>
            """
        let seen = try Browser.open(page).seen
        #expect(seen.requests == ["http://127.0.0.1:9/x.png"])
        #expect(seen.messages.contains("a"))
        #expect(seen.messages.contains { $0.hasPrefix("exception") })
    }

    @Test func aPageAsksForNothingAndEveryPictureHasAText() throws {
        for page in [try SamplePages.run(), try Formats.judgementPage.text(of: SamplePages.judgement())] {
            let seen = try Browser.open(
                page, tree: true, [Self.unfold, .evaluate("document.querySelectorAll('svg.chart').length")]
            ).seen
            #expect(seen.requests.isEmpty && seen.messages.isEmpty)
            let pictures = seen.tree.filter { $0.role == "image" }
            #expect(seen.values.last == .number(Double(pictures.count)))
            #expect(pictures.count > 3)
            for picture in pictures { #expect(picture.name.count > 40, "\(picture.name)") }
            // The text says figures, not what kind of picture it is.
            #expect(pictures.allSatisfy { $0.name.contains { $0.isNumber } })
        }
    }

    @Test func everyControlIsReachedByTheKeyboardAlone() throws {
        let controls =
            "[...document.querySelectorAll('a,button,input,select,summary,[tabindex]')].filter(e => e.checkVisibility())"
        let seen = try Browser.open(
            SamplePages.run(),
            [
                Self.unfold,
                .evaluate("window.seen = new Set(); document.addEventListener('focusin', e => seen.add(e.target)); 0"),
                .key("Tab", times: 300), .evaluate(controls + ".length > 40 && " + controls + ".length < 300"),
                .evaluate(controls + ".filter(e => !seen.has(e)).length"),
            ]
        ).seen
        #expect(seen.values.suffix(2) == [.truth(true), .number(0)])
    }

    @Test func enterSortsATableAndSpaceZooms() throws {
        let table = "document.querySelector('#cases table')"
        let head = "[...\(table).tHead.rows[0].cells].find(c => c.textContent === 'peak')"
        let peaks =
            "[...\(table).tBodies[0].rows].map(r => parseFloat(r.cells[\(head).cellIndex].textContent))"
            + ".filter(n => !isNaN(n))"
        let button = "[...document.querySelectorAll('.controls button')].find(b => b.textContent === 'Zoom in')"
        let boxes = "[...document.querySelectorAll('#timelines .plot')].map(p => p.getAttribute('viewBox'))"
        let seen = try Browser.open(
            try SamplePages.run(),
            [
                .evaluate("\(peaks).length > 3"), .evaluate("\(head).querySelector('button').focus()"), .key("Enter"),
                .evaluate("\(head).getAttribute('aria-sort')"),
                .evaluate("(p => p.every((n, i) => i === 0 || p[i - 1] <= n))(\(peaks))"), .key("Enter"),
                .evaluate("(p => p.every((n, i) => i === 0 || p[i - 1] >= n))(\(peaks))"), .evaluate(boxes),
                .evaluate("\(button).focus()"), .key("Space"), .evaluate(boxes),
            ]
        ).seen
        #expect(seen.values[0] == .truth(true))
        #expect(seen.values[3] == .text("ascending"))
        #expect(seen.values[4] == .truth(true))
        #expect(seen.values[6] == .truth(true))
        guard case .list(let whole)? = seen.values[7], case .list(let zoomed)? = seen.values[10] else {
            Issue.record("no timelines: \(seen.values)")
            return
        }
        // All of them, so that they stay comparable.
        #expect(!whole.isEmpty && Set(whole.map(String.init(describing:))).count == 1)
        #expect(Set(zoomed.map(String.init(describing:))).count == 1 && zoomed[0] != whole[0])
        #expect(seen.messages.isEmpty)
    }

    @Test func aPointerReadsATimelineOffAndWordsHideRows() throws {
        let rows = "[...document.querySelectorAll('#cases table')][0].tBodies[0].rows"
        let seen = try Browser.open(
            try SamplePages.run(),
            [
                .move("#timelines .plot"),
                .evaluate("document.querySelector('#timelines figure output').textContent"),
                .evaluate(
                    """
                    (() => { const i = document.querySelector('#cases input'); i.value = 'download imageview';
                    i.dispatchEvent(new Event('input')); return [...\(rows)].filter(r => !r.hidden).map(r => r.textContent); })()
                    """),
            ]
        ).seen
        guard case .text(let words)? = seen.values[1], case .list(let left)? = seen.values[2] else {
            Issue.record("nothing was read: \(seen.values)")
            return
        }
        #expect(
            words.wholeMatch(of: /\d+\.\d ms: resident \d+\.\d\d MiB, anonymous .*, received .*/) != nil, "\(words)")
        #expect(!left.isEmpty)
        for row in left {
            guard case .text(let text) = row else { continue }
            #expect(text.contains("download") && text.contains("imageview"))
        }
        #expect(seen.messages.isEmpty)
    }

    @Test func printedItIsLightAndNothingIsCut() throws {
        let screen = Browser.Screen(width: 688, isDark: true, isPrint: true)
        let cut =
            "[...document.querySelectorAll('*')].filter(e => e.scrollWidth > e.clientWidth + 1 && "
            + "getComputedStyle(e).overflowX !== 'visible').length"
        let (seen, pdf) = try Browser.open(
            try SamplePages.run(), on: screen, pdf: true,
            [
                .evaluate("getComputedStyle(document.body).backgroundColor"),
                .evaluate("document.documentElement.scrollWidth"), .evaluate(cut),
                .evaluate("[...document.querySelectorAll('.controls')].filter(e => e.checkVisibility()).length"),
            ])
        #expect(seen.values == [.text("rgb(255, 255, 255)"), .number(688), .number(0), .number(0)])
        #expect(pdf?.starts(with: Array("%PDF".utf8)) == true)
    }

    @Test func itIsDarkWhereThatIsAskedForAndFitsANarrowScreen() throws {
        let background = Browser.Step.evaluate("getComputedStyle(document.body).backgroundColor")
        let pages = [try SamplePages.run(), try Formats.judgementPage.text(of: SamplePages.judgement())]
        for page in pages {
            let dark = try Browser.open(
                page, on: Browser.Screen(width: 360, isDark: true),
                [background, .evaluate("document.documentElement.scrollWidth")]
            ).seen
            #expect(dark.values == [.text("rgb(15, 20, 25)"), .number(360)])
        }
    }

    @Test func withoutScriptsEverythingIsThere() throws {
        let texts = "document.querySelectorAll('svg.chart').length + ' ' + document.querySelectorAll('tbody tr').length"
        let page = try SamplePages.run()
        let with = try Browser.open(
            page,
            [
                .evaluate(texts), .evaluate("getComputedStyle(document.body).backgroundColor"),
                .evaluate("document.querySelectorAll('.controls').length"),
            ]
        ).seen
        let without = try Browser.open(
            page, on: Browser.Screen(runsScripts: false),
            [.evaluate(texts), .evaluate("document.querySelectorAll('.controls').length")]
        ).seen
        #expect(with.values.first == without.values.first)
        #expect(with.values[1] == .text("rgb(255, 255, 255)") && with.values.last != .number(0))
        #expect(without.values.last == .number(0))
        #expect(without.messages.isEmpty)
    }
}

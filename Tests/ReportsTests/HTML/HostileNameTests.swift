// SPDX-License-Identifier: Apache-2.0

import Reports
import TestSupport
import Testing

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

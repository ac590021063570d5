// SPDX-License-Identifier: Apache-2.0

import Foundation
import OperatingSystem
import Reports
import Runs
import TestSupport
import Testing
import Texts

/// Every text that a stored run holds may be text of others, and no format takes any of it for its own.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct HostileTextTests {
    @Test(arguments: HostileText.all) func nothingOfARunIsTakenForMarkup(text: String) throws {
        let run = try PoisonedRun.shared.run(beginningWith: text)
        // A run of one size has no slopes, and no answer where names are others than those of the four cases; what commands
        // hold is drawn in tests of its own.
        for format in Formats.ofRuns where !["slopes", "slopes-svg", "answer-svg", "commands"].contains(format.name) {
            let drawn = try format.text(of: Report(run))
            HostileText.expectHarmless(drawn, in: format.name)
            switch format.name {
            case "csv", "summary": try FormatReader.expectTable(drawn)
            case "json": try FormatReader.expectJSON(drawn)
            case "markdown": HostileText.expectWholeTables(drawn)
            case "html":
                #expect(drawn.matches(of: /<script/.ignoresCase()).count == 1 && !drawn.contains("<img"))
            default: break
            }
        }
    }

    /// Otherwise the test above would be none.
    @Test func namesAndWordsOfOthersAreAmongTheTexts() throws {
        let paths = try PoisonedRun.shared.paths
        for path in [".plan.assets.name", ".trials.case.mode", ".trials.outcome.detail", ".tool", ".warnings.text"] {
            #expect(paths.contains(path), "\(paths.sorted())")
        }
    }

    @Test(arguments: [
        ("::error::x", "\\u{3a}:error::x"), ("a\n \t::x", "a\n \t\\u{3a}:x"), ("a ::b\n:c:", "a ::b\n:c:"),
        ("\u{A0}::x\r::y", "\u{A0}\\u{3a}:x\r\\u{3a}:y"), (":::", "\\u{3a}::"), ("", ""), (": :", ": :"),
    ])
    func aLineThatBeginsWithTwoColonsIsNoCommand(text: String, shown: String) {
        #expect(SafeText.withoutCommands(text) == shown)
        #expect(SafeText.withoutCommands(shown) == shown)
        #expect(SafeText.withoutCommands("::x", isAtLineStart: false) == "::x")
    }

    @Test func anOlderCommandIsNoneAnywhere() {
        #expect(SafeText.forTerminal("a ##[error]b ###[x") == "a ##\\u{5b}error]b ###\\u{5b}x")
        #expect(SafeText.forTerminal("#[x ##x[ a[0]") == "#[x ##x[ a[0]")
        #expect(JSONText.harmless("\"##[x\"") == "\"##\\u005bx\"")
    }
}

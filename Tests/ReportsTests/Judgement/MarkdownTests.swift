// SPDX-License-Identifier: Apache-2.0

import Judging
import OperatingSystem
import Reports
import Testing
import Texts

@Suite("the judgement in Markdown")
struct MarkdownTests {
    @Test("the conclusion is the first line, what is red follows")
    func conclusionFirst() throws {
        let lines = lines((try Formats.judgementMarkdown.text(of: SampleJudgement.complete)))
        #expect(lines.first?.hasPrefix("## Red: 1 over budget, 1 regressed") == true)
        #expect(lines.first { $0.hasPrefix("### ") } == "### Red")
        let titles = lines.filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) }
        #expect(
            titles == [
                "Red", "Without an answer", "Improved", "Every figure", "Warnings", "How to read this",
            ])
    }

    @Test(
        "error rates are claimed for interleaved trials alone, and grow with the number of comparisons up to what these are corrected for"
    )
    func errorRates() throws {
        let renderer = Formats.judgementMarkdown
        let one = try renderer.text(of: SampleJudgement.judgement(.interleaved, [SampleJudgement.regressed]))
        #expect(one.contains("at most 0.05 % of comparisons: 0.05 % for the 1 made here"))
        let many = try renderer.text(
            of: SampleJudgement.judgement(.interleaved, Array(repeating: SampleJudgement.regressed, count: 40)))
        #expect(many.contains("at most 0.05 % of comparisons: 0.50 % for the 40 made here"))
        let stored = try renderer.text(of: SampleJudgement.judgement(.check, [SampleJudgement.regressed]))
        #expect(stored.contains("No error rate is claimed"))
        #expect(!stored.contains("of comparisons"))
    }

    @Test("no text from outside starts markup or a cell", arguments: Hostile.texts)
    func hostile(text: String) throws {
        let drawn = try Formats.judgementMarkdown.text(of: Hostile.judgement(text))
        let tame = lines((try Formats.judgementMarkdown.text(of: Hostile.judgement("tame"))))
        #expect(lines(drawn).count == tame.count)
        for (line, model) in zip(lines(drawn), tame) {
            #expect(SafeText.forTerminal(line) == line)
            // What stands in an indented block is code, whatever it says.
            guard !model.hasPrefix("    ") else {
                #expect(line.hasPrefix("    "))
                continue
            }
            #expect(markup(in: line) == markup(in: model))
        }
    }

    @Test("what counts as markup is found", arguments: ["|", "<b>", "[x](y)", "`code`", "*emphasis*", "~~gone~~"])
    func markupIsFound(text: String) {
        #expect(!markup(in: text).isEmpty)
        #expect(markup(in: SafeText.forMarkdown(text)).isEmpty)
    }

    /// The characters of a line that mean something in Markdown, without those behind a backslash.
    private func markup(in line: String) -> String {
        var found = ""
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if "|<>`*[]~".unicodeScalars.contains(scalar) {
                found.unicodeScalars.append(scalar)
            }
        }
        return found
    }

    private func lines(_ text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }
}

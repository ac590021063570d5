// SPDX-License-Identifier: Apache-2.0

import Judging
import OperatingSystem
import Reports
import TestSupport
import Testing
import Texts

struct TerminalTests {
    @Test func aRedLineCarriesItsFiguresAndTheCommand() throws {
        var other = SampleJudgement.regressed
        other.metric = "anonymous"
        let judgement = SampleJudgement.judgement(.interleaved, [SampleJudgement.regressed, other])
        let lines = lines((try Formats.judgementTable(width: 10_000).text(of: judgement)))
        #expect(
            lines.contains(
                "regressed: download · hero · imageview · jemalloc: net peak growth +4.1 MiB (+2.5 % of the net peak, 99 % CI +3.8 … "
                    + "+4.4), limit 1.7 MiB, p = 0.00003, confirmed on 30 fresh pairs; fetch path, phase fetch"))
        #expect(
            lines.filter { $0.contains("reproduce:") } == [
                "  reproduce: fetchbench compare --mode download --render imageview --allocator jemalloc --seed 7"
            ])
    }

    @Test func aScenariosFigureIsInItsOwnUnitAndIsNoShareOfAProcess() throws {
        let judgement = SampleJudgement.judgement(.interleaved, [SampleJudgement.leaking])
        let text = try Formats.judgementTable(width: 10_000).text(of: judgement)
        #expect(
            lines(text).contains(
                "regressed: data · 64KiB · none · glibc+scenario=repeat: allocated slope +63.5 B (99 % CI +62.3 … +64.8), "
                    + "limit 16.0 B, p = 0.00003, confirmed on 30 fresh pairs; scenario"))
        #expect(text.contains("0.50 B") && text.contains("64.00 B") && !text.contains("Smallest detectable change"))
        #expect(text.contains("moved: scenario"))
        let table = try Formats.judgementMarkdown.text(of: judgement)
        #expect(table.contains("+63.50 (+62.3 … +64.8)") && table.contains("3.5 B"))
        #expect(!OpenMetricsRenderer().text(of: judgement).contains("fetchbench_effect{"))
    }

    @Test func aPlainCommandHasNoFetchPathNoStartAndNoPhase() throws {
        let unchanged = SampleJudgement.judgement(.interleaved, [SampleJudgement.plain(.unchanged)])
        let text = try Formats.judgementTable(width: 10_000).text(of: unchanged)
        #expect(!text.contains("moved") && !text.contains("phase") && !text.contains("fetch path"))
        let regressed = SampleJudgement.judgement(.interleaved, [SampleJudgement.plain(.regressed)])
        let red = try Formats.judgementTable(width: 10_000).text(of: regressed)
        #expect(red.contains("; moved: command") && !red.contains("phase") && !red.contains("fetch path"))
        #expect(lines(red).contains { $0.hasPrefix("regressed: sort/glibc/threads=2: net peak growth +10.0 MiB") })
        let both = SampleJudgement.judgement(
            .interleaved, [SampleJudgement.plain(.unchanged), SampleJudgement.regressed])
        #expect((try Formats.judgementTable(width: 10_000).text(of: both)).contains("; moved: fetch path"))
    }

    @Test func theSlashesOfACommandsOwnWordsAreNoPartsOfACase() throws {
        let finding = SampleJudgement.plain(.regressed, named: "./build/tool/glibc")
        let red = try Formats.judgementTable(width: 10_000).text(of: SampleJudgement.judgement(.interleaved, [finding]))
        #expect(lines(red).contains { $0.hasPrefix("regressed: ./build/tool/glibc: ") })
    }

    @Test func aBudgetOfBytesShowsBytes() throws {
        var finding = SampleJudgement.overBudget
        (finding.head, finding.limit) = (365, 32)
        let text = try Formats.judgementTable(width: 10_000).text(of: SampleJudgement.judgement(.check, [finding]))
        #expect(text.contains("365.00 B  32.00 B"))
    }

    @Test func aFindingWithoutFreshTrialsSaysSo() throws {
        var finding = SampleJudgement.regressed
        (finding.isConfirmed, finding.baseTrials, finding.headTrials) = (false, 10, 12)
        let text = try Formats.judgementTable(width: 10_000).text(of: SampleJudgement.judgement(.storedRuns, [finding]))
        #expect(text.contains("n = 10 + 12, not confirmed; fetch path, phase fetch"))
        #expect(!text.contains("pairs"))
    }

    @Test func theWorstComesFirstAndOfTwoRegressionsTheLargerOne() throws {
        var smaller = SampleJudgement.regressed
        (smaller.cell, smaller.effect) = ("small/raw/none/glibc", 0.011)
        var judgement = SampleJudgement.complete
        judgement.findings.insert(smaller, at: 0)
        let verdicts = judgement.findingsWorstFirst.map(\.verdict)
        let ranks = verdicts.map { Finding.Verdict.worstFirst.firstIndex(of: $0) ?? -1 }
        #expect(ranks == ranks.sorted())
        #expect(judgement.findingsWorstFirst.filter { $0.verdict == .regressed }.map(\.effect) == [0.025, 0.011])
        #expect(Set(Finding.Verdict.worstFirst) == Set(Finding.Verdict.allCases))
        #expect(Finding.Verdict.worstFirst.count == Finding.Verdict.allCases.count)
    }

    @Test func tablesFitTheTerminalShortCasesAreInAColumn() throws {
        var short = SampleJudgement.regressed
        short.cell = "hero/raw/none/glibc"
        var long = short
        long.cell = "hero-progressive/download-delegate/imageview/jemalloc-tight"
        for (findings, isFlat) in [([short], true), ([short, long], false)] {
            let text = try Formats.judgementTable().text(of: SampleJudgement.judgement(.interleaved, findings))
            let table = lines(text).drop { !$0.isEmpty }.dropFirst().prefix { !$0.isEmpty && !$0.hasPrefix("In every") }
            #expect(table.count == (isFlat ? 2 : 1 + 2 * findings.count))
            #expect(lines(text).allSatisfy { $0.count <= 80 || $0.contains("reproduce:") }, "\(text)")
            #expect(table.contains("• \(short.cell)") == !isFlat)
            #expect(table.first?.contains("case") == isFlat)
        }
    }

    @Test(arguments: [
        (Finding.Verdict.regressed, "Red: 1 regressed; moved: fetch path"),
        (.overBudget, "Red: 1 over budget"),
        (.missing, "No answer: 1 missing"), (.inconclusive, "No answer: 1 inconclusive"),
        (.incomparable, "No answer: 1 incomparable"), (.improved, "Within limits: 1 improved; moved: fetch path"),
        (.unchanged, "Within limits: 1 unchanged"),
    ])
    func theFirstLineIsTheAnswer(verdict: Finding.Verdict, opening: String) throws {
        var finding = SampleJudgement.regressed
        finding.verdict = verdict
        let judgement = SampleJudgement.judgement(.interleaved, [finding])
        #expect(
            try Formats.judgementTable(width: 10_000).text(of: judgement).hasPrefix(
                "\(opening) (def5678 against abc1234).\n"))
    }

    @Test func aJudgementWithoutAFindingHasNoAnswer() throws {
        let judgement = SampleJudgement.judgement(.check, [])
        #expect(
            try Formats.judgementTable(width: 10_000).text(of: judgement).hasPrefix(
                "No answer: nothing was judged (def5678 against abc1234).\n"))
        #expect((try Formats.judgementMarkdown.text(of: judgement)).hasPrefix("## No answer: nothing was judged"))
    }

    @Test func anIncomparableCaseIsToleratedOnlyIfAskedFor() throws {
        let judgement = SampleJudgement.judgement(.check, [SampleJudgement.incomparable])
        let tolerant = try Formats.judgementTable(width: 10_000).text(of: judgement.tolerant)
        #expect(tolerant.hasPrefix("Within limits: 1 incomparable (tolerated) (def5678 against abc1234).\n"))
        #expect((try Formats.judgementTable(width: 10_000).text(of: judgement)).hasPrefix("No answer: 1 incomparable"))
    }

    @Test(arguments: HostileText.all) func noTextFromOutsideReachesTheTerminalAsItIsOrBeginsALine(text: String) throws {
        for width in [40, 10_000] {
            let drawn = try Formats.judgementTable(width: width).text(of: HostileText.judgement(text))
            for line in lines(drawn) {
                #expect(SafeText.forTerminal(line) == line)
                #expect(!line.drop { $0 == " " }.hasPrefix("::"))
                #expect(!line.unicodeScalars.map(String.init).joined(separator: "\0").contains("#\0#\0["))
            }
            // Narrow lines are broken by their length.
            if width > 1000 { #expect(try lines(drawn).count == lines(tameText(width: width)).count) }
        }
    }

    private func tameText(width: Int) throws -> String {
        try Formats.judgementTable(width: width).text(of: HostileText.judgement("tame"))
    }

    private func lines(_ text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }
}

struct MarkdownTests {
    @Test func theConclusionIsTheFirstLineWhatIsRedFollows() throws {
        let lines = lines((try Formats.judgementMarkdown.text(of: SampleJudgement.complete)))
        #expect(lines.first?.hasPrefix("## Red: 1 over budget, 1 regressed") == true)
        #expect(lines.first { $0.hasPrefix("### ") } == "### Red")
        let titles = lines.filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) }
        #expect(titles == ["Red", "Without an answer", "Improved", "Every figure", "Warnings", "How to read this"])
    }

    @Test func errorRatesAreClaimedForInterleavedTrialsAlone() throws {
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

    @Test(arguments: HostileText.all) func noTextFromOutsideStartsMarkupOrACell(text: String) throws {
        let drawn = try Formats.judgementMarkdown.text(of: HostileText.judgement(text))
        let tame = lines((try Formats.judgementMarkdown.text(of: HostileText.judgement("tame"))))
        #expect(lines(drawn).count == tame.count)
        for (line, model) in zip(lines(drawn), tame) {
            #expect(SafeText.forTerminal(line) == line)
            // The contents of an indented block are code.
            guard !model.hasPrefix("    ") else {
                #expect(line.hasPrefix("    "))
                continue
            }
            #expect(markup(in: line) == markup(in: model))
        }
    }

    @Test(arguments: ["|", "<b>", "[x](y)", "`code`", "*emphasis*", "~~gone~~"])
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

struct GoldenReportOfJudgementTests {
    @Test func theTerminalsTablesRedLinesAndConclusionAreAsStored() throws {
        let text = try Formats.judgementTable().text(of: SampleJudgement.complete)
        try Golden.compare(text, with: "judgement.txt")
    }

    @Test func theMarkdownForAJobSummaryIsAsStored() throws {
        var judgement = SampleJudgement.complete
        try Golden.compare(Formats.judgementMarkdown.text(of: judgement), with: "judgement.md")
        judgement.kind = .check
        try Golden.compare(Formats.judgementMarkdown.text(of: judgement), with: "judgement-check.md")
    }

    @Test func theJUnitReportIsAsStored() throws {
        try Golden.compare(JUnitRenderer().text(of: SampleJudgement.complete), with: "junit.xml")
    }

    @Test func theAnnotationsAreAsStored() throws {
        try Golden.compare(AnnotationRenderer().text(of: SampleJudgement.complete), with: "annotations.txt")
    }

    @Test func theJSONIsAsStored() throws {
        try Golden.compare(JudgementJSONRenderer().text(of: SampleJudgement.complete), with: "judgement.json")
    }

    @Test func theFiguresForBencherAndForGithubActionBenchmarkAreAsStored() throws {
        try Golden.compare(BencherRenderer().text(of: SampleJudgement.complete), with: "bencher.json")
        try Golden.compare(SmallerIsBetterRenderer().text(of: SampleJudgement.complete), with: "smaller-is-better.json")
    }

    @Test func theOpenMetricsTextIsAsStored() throws {
        try Golden.compare(OpenMetricsRenderer().text(of: SampleJudgement.complete), with: "openmetrics.txt")
    }
}

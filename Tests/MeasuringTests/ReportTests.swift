// SPDX-License-Identifier: Apache-2.0

import Measuring
import MemProbe
import Reports
import Runs
import Testing
import TrialKit

/// What `make golden` writes is read as a diff; otherwise the texts are only compared.
struct GoldenReportTests {
    @Test func theReportOfAWholeRun() throws {
        let report = Report(try SyntheticRun.complete())
        try Golden.compare(Formats.runMarkdown.text(of: report), with: "report.md")
    }

    @Test func theSummaryOfAWholeRun() throws {
        let report = Report(try SyntheticRun.complete())
        try Golden.compare(Formats.runTable.text(of: report), with: "terminal.md")
    }

    @Test func theReportOfARunWithoutASingleFigure() throws {
        let report = Report(try SyntheticRun.hopeless())
        try Golden.compare(Formats.runMarkdown.text(of: report), with: "report-without-figures.md")
    }
}

struct ReportTests {
    @Test func everyRowOfATableHasAsManyCellsAsItsHeading() throws {
        let report = Report(try SyntheticRun.complete())
        let lines = try Formats.runMarkdown.text(of: report).split(separator: "\n", omittingEmptySubsequences: false)
        let tables = lines.split { !$0.hasPrefix("|") }
        #expect(tables.count == 5)
        for table in tables {
            let widths = table.map { Self.cellCount(of: $0) }
            #expect(Set(widths).count == 1, "\(table.first ?? "")")
        }
    }

    /// How many cells GitHub's Markdown sees: bars that no backslash takes the meaning of.
    private static func cellCount(of line: Substring) -> Int {
        var count = 0
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if scalar == "|", !isEscaped { count += 1 }
            isEscaped = scalar == "\\" && !isEscaped
        }
        return count - 1
    }

    @Test func nothingFromOutsideReachesTheReportUnescaped() throws {
        let run = try SyntheticRun.complete()
        let texts = [(try Formats.runMarkdown.text(of: Report(run))), (try Formats.runTable.text(of: Report(run)))]
        for text in texts { #expect(!text.unicodeScalars.contains("\u{1B}")) }
        #expect(!texts[0].contains("<b>"))
        #expect(!texts[0].contains("\n# and more"))
    }

    @Test func theHeadlineIsTheAnswerOrElseTheModesThatDifferMost() throws {
        var run = try SyntheticRun.complete()
        let answered = Headline(Report(run)).text
        #expect(
            answered == "A download task saves 22.15 MiB (87.9 %) without rendering and 12.43 MiB (11.9 %) with it: "
                + "anonymous memory at its peak, hero (12.5 MiB) on glibc.")
        run.trials.removeAll { $0.cell.mode == "download" && $0.cell.render == "imageview" }
        let text = Headline(Report(run)).text
        #expect(
            text == "data peaks 24.77 MiB above raw (hero (12.5 MiB), glibc, 3 trials).")
    }

    @Test func aRunWithoutFiguresSaysHowManyTrialsCompleted() throws {
        let text = Headline(Report(try SyntheticRun.hopeless())).text
        #expect(text == "0 of 4 trials completed; no case has a figure to lead with.")
    }

    @Test func theLeadingAllocatorIsTheCLibrarysWhereItWasMeasured() {
        let report = { (allocators: [AllocatorArm]) in
            Report(SyntheticRun.record(.synthetic(allocators: allocators))).leadingAllocator
        }
        #expect(report([.jemalloc, .glibc]) == .glibc)
        #expect(report([.jemallocTight, .jemalloc]) == .jemallocTight)
    }
}

struct RunRecordTests {
    @Test func aCaseNeedsHalfOfItsTrials() throws {
        var run = SyntheticRun.record(
            .synthetic(
                modes: [FakeMode(name: "data")], models: [FakeModel(name: "none", needsBody: false)],
                allocators: [.glibc], trials: 4))
        let cells = run.plan.cases
        run.trials = try cells.flatMap { cell in
            try (1...4).map { try SyntheticTrial(number: $0, cell: cell).trial() }
        }
        #expect(run.casesShortOfTrials.isEmpty)
        for index in [4, 5] { run.trials[index].outcome = Outcome(.failed, "fetch: http_status: status 500") }
        #expect(run.casesShortOfTrials.isEmpty)
        run.trials[6].outcome = Outcome(.timedOut, "killed after 60 s")
        #expect(run.casesShortOfTrials == [cells[1]])
        run.trials = []
        #expect(run.casesShortOfTrials == cells)
    }

    @Test func finishingTellsAllocatorsAndOutcomes() throws {
        let foreign = Asset(name: "hero", location: "https://example.org/hero.jpg", isEmbedded: false)
        let plan = Plan.synthetic(
            assets: [foreign], modes: [FakeMode(name: "data")], models: [FakeModel(name: "none", needsBody: false)],
            allocators: [.glibc], trials: 2)
        var trials = try (1...2).map { try SyntheticTrial(number: $0).trial() }
        trials[1].outcome = Outcome(.failed, "fetch: http_status: status 500")
        let run = SyntheticRun.record(plan).completed(from: trials, finishedAt: "2026-01-02T03:06:07Z")
        #expect(run.environment.allocators == ["glibc": AllocatorIdentity(name: "glibc", version: "2.36")])
        #expect(
            run.warnings.map(\.text) == ["hero/data/none/glibc: 1 of 2 trials failed (fetch: http_status: status 500)"])
    }

    @Test func aMachineThatCannotBeTrustedIsWarnedOf() throws {
        var run = SyntheticRun.record(.synthetic())
        run.environment.canResetPeak = false
        run.environment.exactness = "off by up to 300 KiB"
        run.environment.temporaryFileSystem = "tmpfs"
        run.environment.buildConfiguration = "debug"
        let texts = run.completed(from: [], finishedAt: nil).warnings.map(\.text)
        #expect(texts.count == 4)
        for word in ["cannot be reset", "off by up to 300 KiB", "tmpfs", "debug build"] {
            #expect(texts.contains { $0.contains(word) }, "\(word)")
        }
    }

    @Test func memoryThatGrowsWhileABodyIsMerelyHeldIsWarnedOf() throws {
        let run = SyntheticRun.record(.synthetic())
        var synthetic = SyntheticTrial()
        synthetic.peaks[.hold] = .mebibytes(14)
        let warnings = run.completed(from: [try synthetic.trial()], finishedAt: nil).warnings
        #expect(
            warnings.map(\.text) == [
                "hero/data/none/glibc: resident memory grew by 2.0 MiB while the body was merely held"
            ])
    }
}

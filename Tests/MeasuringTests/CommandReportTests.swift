// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Measuring
import Reports
import Runs
import Testing

/// Results of commands and their presentation: pure functions of measurements.
@Suite(.ownThreads) struct CommandReportTests {
    private func trials(_ name: String, _ kibibytes: [Int], net: Int? = 1000, from number: Int = 1) -> [Trial] {
        kibibytes.enumerated().map { index, size in
            SyntheticCommand.trial(
                number + index, of: .plain(name, on: .glibc),
                SyntheticCommand.trace(size, net: net.map { size - $0 }))
        }
    }

    private func report(
        _ commands: [String], _ trials: [Trial], change: (inout CommandSettings) -> Void = { _ in }
    ) throws -> CommandReport {
        try #require(CommandReport(Report(SyntheticCommand.run(of: commands, trials, change: change))))
    }

    /// Ten sizes that differ by a few KiB, so that none is there twice.
    private func around(_ kibibytes: Int) -> [Int] { (0..<10).map { kibibytes + $0 * 3 } }

    @Test func aRunIsWhatItsTraceSays() throws {
        let single = SyntheticCommand.trial(1, of: .plain("a", on: .glibc), SyntheticCommand.trace(2000, net: 900))
        #expect(Metric.peakResident.value(single) == 2000 * 1024 && Metric.netPeak.value(single) == 900 * 1024)
        #expect(Metric.netPeakGrowth.value(single) == 921_600.0, "nothing is subtracted")
        #expect(Metric.processes.value(single) == 1 && Metric.sumOfPeaks.value(single) == 2000 * 1024)
        #expect(Metric.duration(of: .fetch).value(single) == 2_500_000)
        let trace = SyntheticCommand.trace(2000, net: 900, others: [("cc", 5000), ("cc", 7000), ("ld", 3000)])
        let tree = SyntheticCommand.trial(1, of: .plain("a", on: .glibc), trace)
        #expect(Metric.peakResident.value(tree) == 16_800 * 1024 && Metric.sumOfPeaks.value(tree) == 17_000 * 1024)
        #expect(
            Metric.peakErrorBound.value(tree) == 307_200.0, "what may be missing of the sum, and the bound of one")
        let groups = trace.byName
        #expect(groups.map(\.name) == ["cc", "ld", "first"] && groups.map(\.count) == [2, 1, 1])
        #expect(groups[0].largestPeak == .kibibytes(7000) && Metric.largestProcessPeak.value(tree) == 7000 * 1024)
        #expect(Metric.processes.value(tree) == 4 && Metric.threads.value(tree) == 4)
    }

    /// 2.5 ms, of which stops took a tenth or a hundredth.
    @Test func aTimeThatTracingMadeLongerIsAnUpperBound() throws {
        for (tracing, isMarked) in [(250_000, true), (25_000, false), (nil, false)] as [(Int?, Bool)] {
            var trace = SyntheticCommand.trace(2000, net: 900)
            trace.tracingNanoseconds = tracing
            let trials = (1...3).map { SyntheticCommand.trial($0, of: .plain("a", on: .glibc), trace) }
            let report = try Report(SyntheticCommand.run(of: ["a"], trials))
            for text in [
                try Formats.runTable.text(of: report), (try Formats.runMarkdown.text(of: report)),
                try Formats.runPage.text(of: report),
            ] {
                #expect(text.contains("≤ 2.5") == isMarked && text.contains("≤: ") == isMarked, "\(text.prefix(400))")
            }
        }
    }

    @Test func aThousandProcessesAreCountedWhetherListedOrNot() {
        let many = SyntheticCommand.trace(1, net: nil, others: (0..<1000).map { ("p\($0 % 100)", 1000 + $0) })
        let stored = SyntheticCommand.trial(1, of: .plain("a", on: .glibc), many.listing(64))
        #expect(stored.report?.command?.processes.count == 64)
        #expect(Metric.processes.value(stored) == 1001 && Metric.threads.value(stored) == 1001)
        for figure in [Metric.peakResident, .sumOfPeaks, .largestProcessPeak, .peakErrorBound] {
            let whole = SyntheticCommand.trial(1, of: .plain("a", on: .glibc), many)
            #expect(figure.value(stored) == figure.value(whole), "\(figure.name)")
        }
        let groups = many.listing(64).byName
        #expect(groups == many.byName && groups[0].name == "p99" && groups[0].count == 10)
    }

    @Test func eachIsComparedWithTheReference() throws {
        let trials =
            trials("a", around(100_000)) + trials("b", around(140_000)) + trials("c", around(60_000))
            + trials("d", around(100_001))
        let report = try report(["a", "b", "c", "d", "e"], trials)
        #expect(report.comparisons.map(\.name) == ["b", "c", "d", "e"])
        #expect(report.comparisons.map(\.verdict) == [.more, .less, .same, .missing])
        let more = report.comparisons[0]
        #expect(more.figure == "net_peak_bytes" && more.reference == "a")
        #expect(abs(try #require(more.difference) - 40_000 * 1024) < 1)
        let interval = try #require(more.interval)
        #expect(interval.contains(40_000 * 1024) && interval.upperBound - interval.lowerBound < 100 * 1024)
        // Two-sided, of ten values against ten wholly apart 2 ÷ 184,756, three times that by Holm.
        let p = try #require(more.p)
        #expect(abs(p - 6 / 184_756.0) < 1e-12)
        #expect(try #require(more.detectable) < 100 * 1024 && more.head == Double(139_000 * 1024) + 13.5 * 1024)
        #expect(!report.isComplete, "e has no runs")
    }

    @Test func commandsAreRankedWithinAHostOnly() throws {
        var runs = trials("a", around(100_000)) + trials("b", around(140_000)) + trials("c", around(200_000))
        for index in runs.indices { runs[index].host = index < 20 ? "first" : "second" }
        #expect(try report(["a", "b", "c"], runs).comparisons.map(\.verdict) == [.more, .incomparable])
        func sentence(_ names: [String], _ runs: [Trial]) throws -> Substring? {
            try Formats.runTable.text(of: Report(SyntheticCommand.run(of: names, runs))).split(separator: ".").first
        }
        #expect(try sentence(["a", "b", "c"], runs)?.contains("lowest") == false)
        for index in runs.indices { runs[index].host = nil }
        #expect(try sentence(["a", "b", "c"], runs)?.hasPrefix("a peaks lowest") == true)
        // All runs of one failed, and are included because failures are ignored.
        for index in 0..<10 { runs[index].outcome = Outcome(.completed, "ended with status 3: no") }
        #expect(try sentence(["a", "b", "c"], runs)?.hasPrefix("b peaks lowest") == true)
    }

    @Test func aChangeOfTheSameExecutablesIsSaid() throws {
        var base = try SyntheticCommand.run(of: ["a"], trials("a", around(5000)))
        var head = try SyntheticCommand.run(of: ["a"], trials("a", around(90_000)))
        base.executables = [ProgramFile(at: "/bin/sh")]
        for (files, isSaid) in [(base.executables, true), ([ProgramFile(at: "/bin/ls")], false)] {
            head.executables = files
            let judged = StoredComparison(base: base, head: head, allowsMismatch: false).judgement(tool: "", at: "")
            #expect(judged.warnings.contains { $0.text.contains("executables") } == isSaid)
        }
    }

    @Test func fewRunsDecideNothing() throws {
        let few = try report(["a", "b"], trials("a", [1000, 1001, 1002]) + trials("b", [9000, 9001, 9002]))
        #expect(few.comparisons[0].verdict == .inconclusive && few.comparisons[0].reason.contains("about"))
        let noise = [100_000, 150_000, 60_000, 90_000, 160_000, 50_000, 120_000, 80_000, 140_000, 70_000]
        let noisy = try report(["a", "b"], trials("a", noise) + trials("b", noise.map { $0 + 1 }))
        #expect(noisy.comparisons[0].verdict == .inconclusive, "a difference of a fifth would not have been seen")
    }

    /// The sizes of five runs in which two were equal: complete separation is a difference, and not one by chance.
    @Test func fiveRunsWithTiesThatLieWhollyApartDecide() throws {
        let trials = trials("a", [1100, 1100, 1104, 1104, 1108]) + trials("b", [3840, 3848, 3848, 3852, 3860])
        let more = try report(["a", "b"], trials).comparisons[0]
        #expect(more.verdict == .more && more.reason.isEmpty)
        #expect(abs(try #require(more.p) - 2.0 / 252) < 1e-12)
        #expect(try report(["b", "a"], trials).comparisons[0].verdict == .less)
    }

    @Test func sixRunsOfFourCommandsDecideAndFiveSayHowManyWould() throws {
        func comparisons(_ count: Int) throws -> [CommandComparison] {
            let trials = [("a", 3000), ("b", 9000), ("c", 2000), ("d", 3000)].flatMap { name, size in
                self.trials(name, (0..<count).map { size + $0 / 2 * 4 })
            }
            return try report(["a", "b", "c", "d"], trials).comparisons
        }
        #expect(try comparisons(6).map(\.verdict) == [.more, .less, .same])
        let few = try comparisons(5)
        #expect(few.map(\.verdict) == [.inconclusive, .inconclusive, .same])
        #expect(few.prefix(2).allSatisfy { $0.reason.contains("about 6 of each") })
        #expect(few.allSatisfy { $0.detectable == nil }, "so few runs could show no difference at all")
    }

    @Test func relevantChangesThatMayBeChanceAreNotTheSame() throws {
        // A difference of 1 MiB in 100, of which one run of five knows nothing.
        let trials =
            trials("a", [100_000, 100_000, 100_004, 100_004, 101_500])
            + trials("b", [100_004, 101_200, 101_200, 101_204, 101_204])
        let found = try report(["a", "b"], trials).comparisons[0]
        #expect(found.verdict == .inconclusive && found.reason.contains("about"))
    }

    @Test func aReferenceThatHoldsNothingIsSaidInWords() throws {
        let found = try report(["a", "b"], trials("a", [0, 0, 0, 0, 0]) + trials("b", around(9000))).comparisons[0]
        #expect(found.verdict == .inconclusive && !found.reason.isEmpty && !found.reason.contains("("))
    }

    @Test func withoutProgramPagesOnlyWhereAllRunsKnowThem() throws {
        let report = try report(["a", "b"], trials("a", around(9000)) + trials("b", around(9000), net: nil))
        #expect(report.comparisons[0].figure == "peak_resident_bytes")
    }

    @Test func aDifferenceThatThePeaksThemselvesDoNotBearOutIsNone() throws {
        // Without program pages each is 40,000 KiB lower; the peaks are equal, higher, and lower.
        let trials =
            trials("a", around(100_000)) + trials("b", around(100_000), net: 41_000)
            + trials("c", around(140_000), net: 81_000) + trials("d", around(60_000))
        let comparisons = try report(["a", "b", "c", "d"], trials).comparisons
        #expect(comparisons.map(\.verdict) == [.inconclusive, .inconclusive, .less])
        #expect(comparisons.map { $0.reason.contains("only without program pages") } == [true, true, false])
        #expect(comparisons.allSatisfy { abs(($0.difference ?? 0) + 40_000 * 1024) < 1 })
    }

    @Test func aLimitIsHeldByEveryRun() throws {
        var trials = trials("a", [3000, 2048], net: 0, from: 2) + trials("b", [100], net: 0, from: 4)
        var failed = SyntheticCommand.trial(
            5, of: .plain("b", on: .glibc), SyntheticCommand.trace(3500, net: 4300, others: [("x", 1000)]))
        failed.outcome = Outcome(.overLimit, "killed")
        trials.append(failed)
        let over = try report(["a", "b"], trials) { $0.limit = .mebibytes(2) }
        #expect(over.excesses.map(\.name) == ["a", "b"] && over.excesses.map(\.run) == [1, 2])
        #expect(
            over.excesses.map(\.count) == [1, 1] && over.excesses.map(\.runs) == [2, 2], "2 MiB are not over 2 MiB")
        #expect(
            over.excesses[0].text
                == "a: 1 of 2 runs exceeded the limit of 2.0 MiB; the largest is run 1 of 2: 2.9 MiB without program pages"
        )
        #expect(
            over.excesses[1].text.hasSuffix("run 2 of 2: 4.2 MiB without program pages, including 3.4 MiB by first"))
        #expect(try report(["a", "b"], trials).excesses.isEmpty)
    }

    @Test func aRunThatIsCloseToTheLimitIsADoubt() throws {
        let run = try SyntheticCommand.run(of: ["a"], trials("a", [2000], net: 0)) { $0.limit = .mebibytes(2) }
        let close = try #require(CommandReport(Report(run)))
        #expect(close.excesses.isEmpty && close.doubts.count == 1 && close.doubts[0].contains("as high as 2.1 MiB"))
        let table = try Formats.runTable.text(of: Report(run))
        #expect(table.contains("within the limit: the largest run held 2.0 MiB without program pages, of 2.0 MiB"))
    }

    /// Two processes that may share memory, with and without known program pages.
    @Test(arguments: [
        (2000, [(1900, 1, 0), (3400, 0, 1), (3600, 0, 0)]), (nil, [(3200, 1, 0), (3400, 0, 1), (3700, 0, 0)]),
    ])
    func aLimitBetweenTheBoundsOfSeveralProcessesHasNoAnswer(net: Int?, limits: [(Int, Int, Int)]) throws {
        var trace = SyntheticCommand.trace(2000, net: net, others: [("x", 1500)])
        trace.treeMaximum.netAtMost = net.map { _ in .kibibytes(3500) }
        let trials = [SyntheticCommand.trial(1, of: .plain("a", on: .glibc), trace)]
        for (limit, excesses, unanswered) in limits {
            let found = try report(["a"], trials) { $0.limit = .kibibytes(limit) }
            #expect(found.excesses.count == excesses && found.unanswered.count == unanswered && found.doubts.isEmpty)
            let budget = try Budget(parsing: "peak <= \(limit) KiB", of: found.run.metrics)
            let outcome = try #require(BudgetJudge.findings(for: [budget], in: found.run).first).outcome
            // Without known program pages there is no figure `peak` of a command.
            let expected = net == nil ? (false, false) : (excesses == 1, excesses + unanswered == 0)
            #expect((outcome == .exceeded, outcome == .within) == expected, "\(outcome)")
        }
    }

    @Test func aRunThatWasNeverTracedIsHeldToNothing() throws {
        var trials = trials("a", [1000, 9000])
        trials[1].outcome = Outcome(.failed, "--prepare ended with status 1")
        trials[1].report = nil
        let report = try report(["a"], trials) { $0.limit = .mebibytes(2) }
        #expect(report.excesses.isEmpty && report.failures == ["a: run 2: --prepare ended with status 1"])
    }

    /// Whether a failed run counts is decided when it is stored: see ``PlainCommandTrialTests``.
    @Test func failuresThatAreIgnoredCountAndAreSaid() throws {
        var runs = trials("a", around(1000))
        runs[3].outcome = Outcome(.failed, "ended with status 3: no")
        let strict = try report(["a"], runs)
        #expect(strict.rows[0].completed == 9 && strict.rows[0].failed == 1 && !strict.isComplete)
        #expect(strict.failures == ["a: run 4: ended with status 3: no"])
        runs[3].outcome = Outcome(.completed, "ended with status 3: no")
        let lenient = try report(["a"], runs) { $0.ignoresFailure = true }
        #expect(lenient.isComplete && lenient.rows[0].completed == 10 && lenient.failures.isEmpty)
        #expect(lenient.doubts == ["a: 1 of 10 included runs failed: ended with status 3: no"])
        runs[3].outcome = Outcome(.timedOut, "killed")
        #expect(try !report(["a"], runs) { $0.ignoresFailure = true }.isComplete, "a run that was cut off is none")
    }

    @Test func theReferenceIsTheFirstOrTheOneThatIsNamed() throws {
        let trials = trials("a", around(9000)) + trials("b", around(5000))
        #expect(try report(["a", "b"], trials).reference == "a")
        let other = try report(["a", "b"], trials) { $0.reference = "b" }
        #expect(other.reference == "b" && other.comparisons.map(\.name) == ["a"])
        #expect(other.comparisons[0].verdict == .more)
    }

    @Test func aRunWithoutPlainCommandsHasNoSuchReport() throws {
        #expect(CommandReport(Report(try SyntheticRun.complete())) == nil)
    }
}

@Suite struct CommandFormatTests {
    private static let formats = ["table", "markdown", "html", "commands", "csv", "summary", "json"]

    private func trials(
        _ name: String, _ kibibytes: [Int], others: [(String, Int)] = [], from number: Int = 1
    ) -> [Trial] {
        kibibytes.enumerated().map { index, size in
            SyntheticCommand.trial(
                number + index, of: .plain(name, on: .glibc),
                SyntheticCommand.trace(size, net: size - 1000, others: others))
        }
    }

    private func around(_ kibibytes: Int) -> [Int] { (0..<10).map { kibibytes + $0 * 3 } }

    private func drawn(_ format: String, _ run: RunRecord) throws -> String {
        try #require(Formats.ofRuns.first { $0.name == format }).text(of: Report(run))
    }

    @Test func everyFormatIsTriedHere() throws {
        let run = try SyntheticCommand.run(of: ["a"], trials("a", around(1000)))
        let others = Formats.ofRuns.filter { !Self.formats.contains($0.name) }
        #expect(others.map(\.name) == ["slopes", "answer-svg", "slopes-svg"])
        for format in others { #expect(throws: FetchBenchError.self) { try format.text(of: Report(run)) } }
    }

    /// A run whose commands, processes, failures and reasons have such names.
    private func hostileRun(_ hostile: String) throws -> RunRecord {
        let name = HarnessContext.fake("/tmp").redaction.text(hostile)
        var runs =
            trials(name, around(5000))
            + trials("plain", around(9000), others: [("evil\u{1B}|\u{7}" + hostile, 40_000)], from: 11)
        runs[0].outcome = Outcome(.failed, "no \u{1B}[2J<script>" + hostile)
        runs[1].doubts = ["a doubt: " + hostile]
        // As a command it would have to be what a shell can read.
        return try SyntheticCommand.run(of: ["first", "second"], named: [hostile, "plain"], runs) {
            $0.limit = .mebibytes(1)
        }
    }

    // A command cannot have a blank name.
    @Test(arguments: formats, HostileText.all.filter { $0.contains { !$0.isWhitespace } })
    func everyFormatHoldsEverythingAndIsHarmless(format: String, hostile: String) throws {
        let text = try drawn(format, hostileRun(hostile))
        HostileText.expectHarmless(text, in: format)
        #expect(text.contains("plain") && (text.contains("evil") || ["csv", "summary"].contains(format)))
        switch format {
        case "csv", "summary": try FormatReader.expectTable(text)
        case "json", "commands": try FormatReader.expectJSON(text)
        case "markdown": HostileText.expectWholeTables(text)
        case "html":
            #expect(text.matches(of: /<script/.ignoresCase()).count == 1 && !text.contains("<img"))
            #expect(!text.contains("<b>,"))
        default: break
        }
        if format == "csv" { #expect(text.split(separator: "\n").count == 21) }
    }

    /// Nothing was fetched, so nothing is said of what only a fetch has.
    @Test(arguments: ["table", "markdown", "commands"]) func noWordOfAFetchIsSaid(format: String) throws {
        let run = try SyntheticCommand.run(of: ["a", "b"], trials("a", around(9000)) + trials("b", around(5000)))
        let text = try drawn(format, run)
        for word in ["copies", "asset", "held ratio", " k ", "not applicable", "origin at", "warm-up"] {
            #expect(!text.contains(word), "\(format): \(word)")
        }
    }

    @Test func theTablesSayWhatEachHoldsAndHowTheyDiffer() throws {
        let made = trials("a", around(9000)) + trials("b", around(5000), others: [("cc", 300), ("cc", 200)])
        let run = try SyntheticCommand.run(of: ["a", "b"], made)
        for format in ["table", "markdown"] {
            let lines = try drawn(format, run).split(separator: "\n").map { $0.filter { !"|`".contains($0) } }
            let cells = lines.map { $0.split(separator: " ").joined(separator: " ") }
            #expect(cells.contains { $0.hasPrefix("a 10 8.80 8.79 … 8.82 ") || $0.hasPrefix("a 8.80 8.79 … 8.82 ") })
            #expect(
                cells.contains { $0.hasPrefix("b cc 2 0.29 ") || $0.hasPrefix("cc 2 0.29 ") },
                "\(format): the processes of one name")
            #expect(cells.contains { $0.hasPrefix("b holds less ") || $0.hasSuffix("holds less.") }, "\(format)")
            #expect(cells.contains { $0.contains("interleaved runs") || $0.contains("n 10") }, "\(format)")
        }
    }

    @Test func aPlanOfBothIsDrawnWithBoth() throws {
        var run = try SyntheticRun.complete()
        run.plan.commands.append(ExternalCommand(name: "sort", command: "sort x"))
        run.plan.cases.append(.plain("sort", on: .glibc))
        run.trials += trials("sort", around(9000), from: run.trials.count + 1)
        for format in ["table", "markdown", "html"] {
            let text = try drawn(format, run)
            #expect(text.contains("hero") && text.contains("sort") && text.contains("net MiB"), "\(format)")
        }
        let fetched = try Formats.runTable.text(of: Report(SyntheticRun.complete()))
        let whole = try drawn("table", run)
        for row in fetched.split(separator: "\n") where row.contains("imageview  ") {
            #expect(whole.contains(row), "what was fetched is shown as without the command")
        }
    }

    @Test func theJSONHoldsTheSpreadAndTheComparisons() throws {
        let run = try SyntheticCommand.run(
            of: ["a", "b"], trials("a", around(9000)) + trials("b", around(5000), from: 11))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(try drawn("commands", run).utf8)) as? [String: Any])
        #expect(object["schema"] as? Int == 1)
        let commands = try #require(object["commands"] as? [[String: Any]])
        #expect(commands.map { $0["name"] as? String } == ["a", "b"] && commands[0]["runs"] as? Int == 10)
        let figures = try #require(commands[0]["figures"] as? [String: [String: Any]])
        #expect(
            Set(figures.keys) == [
                "peak_resident_bytes", "peak_error_bound_bytes", "net_peak_bytes", "program_bytes",
                "largest_process_peak_bytes", "sum_of_peaks_bytes", "processes", "threads", "duration_ns", "cpu_ns",
            ])
        #expect(figures["peak_resident_bytes"]?["min"] as? Int == 9000 * 1024)
        #expect(figures["peak_resident_bytes"]?["max"] as? Int == 9027 * 1024)
        let comparisons = try #require(object["comparisons"] as? [[String: Any]])
        #expect(comparisons[0]["verdict"] as? String == "less")
        #expect(abs(try #require(comparisons[0]["difference_bytes"] as? Double) + 4000 * 1024) < 1)
    }

    @Test func everyTrialIsARowWithItsParametersAndProcesses() throws {
        let cell = Case.plain("sort", with: [.init("threads", "2"), .init("size", "a,b")], on: .jemalloc)
        let trace = SyntheticCommand.trace(2000, net: 900, others: [("cc", 5000), ("cc", 7000)])
        var run = try SyntheticRun.complete()
        run.trials = [SyntheticCommand.trial(3, of: cell, trace)]
        let row = try #require(MiniCSV.records(of: TrialsTable.text(of: run)).first)
        let expected = [
            "trial": "3", "case": "sort/jemalloc/threads=2+size=a,b", "asset": "none", "asset_bytes": "",
            "mode": "sort", "allocator": "jemalloc", "parameters": "threads=2+size=a,b", "processes": "3",
            "threads": "3", "largest_process_peak_bytes": "\(7000 * 1024)", "sum_of_peaks_bytes": "\(14_000 * 1024)",
            "peak_error_bound_bytes": "\(300 * 1024)", "peak_resident_bytes": "\(13_800 * 1024)",
            "baseline_resident_bytes": "",
        ]
        #expect(row.filter { expected.keys.contains($0.key) } == expected)
    }
}

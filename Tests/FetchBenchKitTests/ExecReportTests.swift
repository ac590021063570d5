// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Measuring
import MemProbe
import Reports
import Runs
import Testing

/// What runs of commands come to, and how it is shown: pure functions of what was measured.
@Suite struct ExecReportTests {
    private static let environment = EnvironmentProbe.environment(
        temporaryDirectory: "/tmp", commit: nil, hasUncommittedChanges: nil, label: nil)

    private func process(_ order: Int, _ name: String, _ kibibytes: Int, net: Int?) -> ProcessTrace {
        ProcessTrace(
            order: order, parentOrder: order == 1 ? nil : 1, name: name,
            peak: PeakReading(
                resident: .kibibytes(kibibytes), source: .highWaterMarkWithoutReset, errorBound: .kibibytes(100)),
            programPages: net.map { .kibibytes(kibibytes - $0) }, netPeak: net.map { .kibibytes($0) }, threads: order,
            startNanoseconds: 0, endNanoseconds: 1)
    }

    private func measurement(_ kibibytes: Int, net: Int?, others: [(String, Int)] = []) -> ExecMeasurement {
        let processes =
            [process(1, "first", kibibytes, net: net)]
            + others.enumerated().map { index, other in
                process(index + 2, other.0, other.1, net: net == nil ? nil : other.1)
            }
        let sum = kibibytes + others.reduce(0) { $0 + $1.1 }
        return ExecMeasurement(
            CommandTrace(
                method: .exitStops, exitStatus: 0, startNanoseconds: 1_000_000, endNanoseconds: 3_500_000,
                cpuNanoseconds: 500_000, processes: processes,
                treeMaximum: TreeMaximum(
                    resident: .kibibytes(others.isEmpty ? sum : sum - 200), anonymous: .zero,
                    net: net.map { .kibibytes($0) }, timeNanoseconds: 2, processes: processes.count)))
    }

    private func trials(_ name: String, _ kibibytes: [Int], net: Int? = 1000, from number: Int = 1) -> [ExecTrial] {
        kibibytes.enumerated().map { index, size in
            ExecTrial(
                number: number + index, name: name, outcome: ExecOutcome(.completed, exitStatus: 0),
                measurement: measurement(size, net: net.map { size - $0 }))
        }
    }

    private func report(
        _ commands: [String], named names: [String] = [], _ trials: [ExecTrial],
        change: (inout ExecSettings) -> Void = { _ in }
    ) throws -> ExecReport {
        var request = ExecRequest(commands: commands)
        request.names = names
        request.settings.trials = 10
        change(&request.settings)
        return ExecReport(
            tool: "fetchbench 0", startedAt: "2026-01-01T00:00:00Z", finishedAt: "2026-01-01T00:00:09Z",
            plan: try request.plan(redaction: RedactedCommand(folders: [:])), environment: Self.environment,
            trials: trials)
    }

    private func drawn(_ format: String, _ report: ExecReport) throws -> String {
        try #require(Formats.ofCommands.first { $0.name == format }).text(of: report)
    }

    /// Ten sizes that differ by a few KiB, so that none is there twice.
    private func around(_ kibibytes: Int) -> [Int] { (0..<10).map { kibibytes + $0 * 3 } }

    @Test func aRunIsWhatItsTraceSays() {
        let single = measurement(2000, net: 900)
        #expect(single.peak.resident == .kibibytes(2000) && single.netPeak == .kibibytes(900))
        #expect(
            single.processCount == 1 && single.sumOfPeaks == .kibibytes(2000) && single.durationNanoseconds == 2_500_000
        )
        let tree = measurement(2000, net: 900, others: [("cc", 5000), ("cc", 7000), ("ld", 3000)])
        #expect(tree.peak.resident == .kibibytes(16_800) && tree.sumOfPeaks == .kibibytes(17_000))
        #expect(tree.peak.errorBound == .kibibytes(300), "what may be missing of the sum, and the bound of one")
        #expect(tree.processes.map(\.name) == ["cc", "ld", "first"] && tree.processes.map(\.count) == [2, 1, 1])
        #expect(tree.largest?.peak == .kibibytes(7000) && tree.largest?.threads == 3 && tree.threads == 4)
        let many = measurement(1, net: nil, others: (0..<100).map { ("p\($0)", 1000 + $0) })
        #expect(many.processCount == 101 && many.processes.count == 30 && many.largest?.name == "p99")
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
        func comparisons(_ count: Int) throws -> [ExecComparison] {
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

    @Test func whatCountsAndMayBeChanceIsNotTheSame() throws {
        // A difference of 1 MiB in 100, of which one run of five knows nothing.
        let trials =
            trials("a", [100_000, 100_000, 100_004, 100_004, 101_500])
            + trials(
                "b", [100_004, 101_200, 101_200, 101_204, 101_204])
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
        // What is left without program pages is less by 40,000 KiB each time; the peaks are the same, more, and less.
        let trials =
            trials("a", around(100_000)) + trials("b", around(100_000), net: 41_000)
            + trials("c", around(140_000), net: 81_000) + trials("d", around(60_000))
        let comparisons = try report(["a", "b", "c", "d"], trials).comparisons
        #expect(comparisons.map(\.verdict) == [.inconclusive, .inconclusive, .less])
        #expect(comparisons.map { $0.reason.contains("without program pages only") } == [true, true, false])
        #expect(comparisons.allSatisfy { abs(($0.difference ?? 0) + 40_000 * 1024) < 1 })
    }

    @Test func aLimitIsHeldByEveryRun() throws {
        var trials = trials("a", [1000, 3000, 2048]) + trials("b", [100], from: 4)
        trials[0].isWarmup = true
        var failed = trials[1]
        (failed.number, failed.name) = (5, "b")
        failed.outcome = ExecOutcome(.overLimit, "killed")
        failed.measurement = measurement(3500, net: 1, others: [("x", 1000)])
        trials.append(failed)
        let over = try report(["a", "b"], trials) { $0.limit = .mebibytes(2) }
        #expect(over.excesses.map(\.name) == ["a", "b"] && over.excesses.map(\.trial) == [2, 5])
        #expect(
            over.excesses.map(\.count) == [1, 1] && over.excesses.map(\.runs) == [2, 2], "2 MiB are not over 2 MiB")
        #expect(over.excesses[0].text == "a: 1 of 2 runs held more than the limit of 2.0 MiB; run 2 the most, 2.9 MiB")
        #expect(over.excesses[1].text.hasSuffix("run 5 the most, 4.2 MiB, of it 3.4 MiB by first"))
        #expect(try report(["a", "b"], trials).excesses.isEmpty)
        let close = try report(["a"], self.trials("a", [2000])) { $0.limit = .mebibytes(2) }
        #expect(close.excesses.isEmpty && close.doubts.count == 1 && close.doubts[0].contains("no more than 2.1 MiB"))
        #expect(try drawn("table", close).contains("within the limit: the largest run held 2.0 MiB of 2.0 MiB"))
    }

    @Test func failuresThatAreIgnoredCountAndAreSaid() throws {
        var runs = trials("a", around(1000))
        runs[3].outcome = ExecOutcome(.failed, "ended with status 3: no", exitStatus: 3)
        let strict = try report(["a"], runs)
        #expect(strict.rows[0].trials.count == 9 && strict.rows[0].failure?.number == 4 && !strict.isComplete)
        #expect(strict.failures == ["a: run 4: ended with status 3: no"])
        let lenient = try report(["a"], runs) { $0.ignoresFailure = true }
        #expect(lenient.isComplete && lenient.rows[0].trials.count == 10 && lenient.failures.isEmpty)
        #expect(lenient.doubts == ["a: 1 of 10 runs count that failed: ended with status 3: no"])
        runs[3].outcome = ExecOutcome(.timedOut, "killed")
        #expect(try !report(["a"], runs) { $0.ignoresFailure = true }.isComplete, "a run that was cut off is none")
    }

    /// A name of everything that a terminal, Markdown, HTML or CSV could take for its own.
    private static let hostile = "x '\u{1B}[2J|`<b>,\"\u{7}\n\u{202E}'"

    @Test(arguments: Formats.ofCommands.map(\.name), [hostile] + HostileText.all)
    func everyFormatHoldsEverythingAndIsHarmless(format: String, hostile: String) throws {
        var runs = trials(hostile, around(5000)) + trials("plain", around(9000), from: 11)
        runs[0].outcome = ExecOutcome(.failed, "no \u{1B}[2J<script>", exitStatus: 1)
        runs[11].measurement = measurement(9000, net: 5, others: [("evil\u{1B}|\u{7}", 40_000)])
        // As a command it would have to be what a shell can read.
        let report = try report(["first", "second"], named: [hostile, "plain"], runs) { $0.limit = .mebibytes(1) }
        let text = try drawn(format, report)
        HostileText.expectHarmless(text, in: format)
        if ["csv", "summary"].contains(format) { try FormatReader.expectTable(text) }
        if format == "json" { try FormatReader.expectJSON(text) }
        #expect(text.contains("plain") && text.contains("evil") || ["summary"].contains(format))
        #expect(!text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || $0.value == 0x202E }, "\(format)")
        #expect(!text.contains("<script>no") && (format != "html" || !text.contains("<b>,")))
        for word in ["copies", "asset", "held ratio", " k "] { #expect(!text.contains(word), "\(format): \(word)") }
        if format == "markdown" {
            let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }
            #expect(Set(rows.prefix(4).map { $0.count { $0 == "|" } }).count == 1, "no name makes a cell of its own")
        }
        if format == "csv" { #expect(text.split(separator: "\n").count == 21) }
    }

    @Test func theJSONHoldsEveryRunAndTheSpread() throws {
        let report = try report(["a", "b"], trials("a", around(9000)) + trials("b", around(5000), from: 11))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(try drawn("json", report).utf8)) as? [String: Any])
        #expect(object["schema"] as? Int == 1 && (object["trials"] as? [Any])?.count == 20)
        let commands = try #require(object["commands"] as? [[String: Any]])
        let figures = try #require(commands[0]["figures"] as? [String: [String: Any]])
        #expect(Set(figures.keys) == Set(ExecFigure.all.map(\.name)))
        #expect(figures["peak_resident_bytes"]?["min"] as? Int == 9000 * 1024)
        #expect(figures["peak_resident_bytes"]?["max"] as? Int == 9027 * 1024)
        let comparisons = try #require(object["comparisons"] as? [[String: Any]])
        #expect(comparisons[0]["verdict"] as? String == "less")
        #expect(abs(try #require(comparisons[0]["difference_bytes"] as? Double) + 4000 * 1024) < 1)
    }
}

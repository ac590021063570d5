// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import MemProbe
import Reports
import Runs
import TestSupport
import Testing

/// What plain commands hold, in every format.
@Suite struct CommandFormatTests {
    /// The formats in which a run of plain commands alone can be drawn.
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

    /// A name of everything that a terminal, Markdown, HTML or CSV could take for its own.
    private static let hostile = "x '\u{1B}[2J|`<b>,\"\u{7}\n\u{202E}'"

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

    @Test(arguments: formats, [hostile] + HostileText.all)
    func everyFormatHoldsEverythingAndIsHarmless(format: String, hostile: String) throws {
        let text = try drawn(format, hostileRun(hostile))
        HostileText.expectHarmless(text, in: format)
        #expect(text.contains("plain") && (text.contains("evil") || ["csv", "summary"].contains(format)))
        #expect(!text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || $0.value == 0x202E }, "\(format)")
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

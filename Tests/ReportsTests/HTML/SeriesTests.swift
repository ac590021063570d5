// SPDX-License-Identifier: Apache-2.0

import Foundation
import Reports
import Runs
import TestSupport
import Testing

/// Reading series: every row, and of many rows the highest and the lowest.
struct SeriesTests {
    private func scanned(_ text: String, wanted: (Int) -> Bool = { _ in true }) throws -> [SampleRow] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fetchbench-series-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stored = RunFolder(existing: folder.path)
        try stored.write(text, to: .samples)
        var rows: [SampleRow] = []
        try SampleScanner.scan(stored, wanted: wanted) { rows.append($0) }
        return rows
    }

    @Test func everyRowIsReadAsAnotherReaderReadsIt() throws {
        // More than the buffer of the reader holds.
        let text = try SamplePages.withRun(trials: 40) { run, _ in SamplePages.samples(of: run.trials) }
        #expect(text.utf8.count > 600_000)
        let rows = try scanned(text) { $0 != 7 }
        let expected = MiniCSV.records(of: text).filter { $0["trial"] != "7" }
        #expect(rows.count == expected.count)
        for (row, record) in zip(rows, expected) {
            guard
                record["trial"] == "\(row.trial)", record["time_ns"] == "\(row.time)",
                record["phase"] == row.phase?.rawValue ?? "", record["resident_bytes"] == "\(row.resident)",
                record["anonymous_bytes"] == "\(row.anonymous)",
                record["received_bytes"] == row.received.map(String.init),
                record["charged_bytes"] == row.charged.map(String.init)
            else {
                Issue.record("\(row) is not \(record)")
                return
            }
        }
    }

    @Test func uncountedFiguresAreAbsent() throws {
        let rows = try scanned(SamplesTable.header + "3,0,,10,5,5,,\n3,9,hold,11,5,6,0,7\n3,12,hold,11,5")
        #expect(rows.map(\.received) == [nil, 0] && rows.map(\.charged) == [nil, 7])
        #expect(rows.map(\.phase) == [nil, .hold])
    }

    @Test func runsOfBeforeChargesAreRead() throws {
        let header = "trial,time_ns,phase,resident_bytes,anonymous_bytes,file_bytes,received_bytes\n"
        let rows = try scanned(header + "3,0,,10,5,5,\n3,9,hold,11,5,6,8\n")
        #expect(rows.map(\.received) == [nil, 8] && rows.map(\.charged) == [nil, nil])
    }

    @Test(arguments: [
        "trial,time\n1,2\n", SamplesTable.header + "x,0,,1,1,1,\n", SamplesTable.header + "1,0,nap,1,1,1,\n",
        SamplesTable.header + "1,0,hold,1,1\n", SamplesTable.header + "1,0,hold,1,-1,1,\n",
        SamplesTable.header + "1,0,hold,1,1,99999999999999999999,\n", SamplesTable.header + "\n",
        SamplesTable.header + "1,0,hold,1,1,1,99999999999999999999,\n", SamplesTable.header + "1,0,hold,1,1,1,,x\n",
        SamplesTable.header + "1,0,hold,1,1,1,1,1,1\n",
    ])
    func aLineThatIsNoSampleIsRefused(text: String) throws {
        #expect(throws: FetchBenchError.self) { try scanned(text) }
    }

    @Test func manySamplesKeepTheirExtremesAndTheirPhases() throws {
        var series = DecimatedSeries(slices: 100)
        for index in 0..<50_000 {
            let spike = index == 31_337 ? 900_000 : 0
            series.add(
                SampleRow(
                    trial: 1, time: index * 1_000_000, phase: index < 20_000 ? .fetch : .hold,
                    resident: 1000 + index % 97 + spike, anonymous: 500 - (index == 12_345 ? 400 : 0), received: index))
        }
        #expect(series.slices.count <= 100 && series.slices.count > 45)
        #expect(series.slices.map(\.resident.upperBound).max() == 901_000 + 31_337 % 97)
        #expect(series.slices.map(\.resident.lowerBound).min() == 1000)
        #expect(series.slices.map(\.anonymous.lowerBound).min() == 100)
        #expect(series.slices.last?.received == 49_999)
        #expect(series.slices.map(\.time) == series.slices.map(\.time).sorted())
        #expect(series.spans.map(\.phase) == [.fetch, .hold])
        #expect(series.spans.map(\.times) == [0...19_999_000_000, 20_000_000_000...49_999_000_000])
    }

    @Test func aPageOf160TrialsIsLessThanAMegabyte() throws {
        let page = try SamplePages.withRun(trials: 160) { run, folder in
            try Formats.runPage.text(of: Report(run, in: folder))
        }
        #expect(page.utf8.count < 1_000_000)
        #expect(page.contains("data-line=\"resident\""))
    }

    @Test func aPageOf60CasesOf10TrialsIsAtMost300KiBAndShowsTheHighestFirst() throws {
        let page = try SamplePages.odd("60 cases")
        #expect(page.utf8.count <= 300 << 10, "\(page.utf8.count)")
        // Twelve are shown with other trials behind them, and the others are folded and without.
        let parts = page.split(separator: "<details id=\"more-timelines\">")
        let counts = try #require(parts.count == 2 ? parts.map { $0.matches(of: /data-line="resident"/).count } : nil)
        #expect(counts == [12, 48])
        #expect(parts[0].matches(of: /class="faint-line"/).count == 36 && !parts[1].contains("class=\"faint-line\""))
        let peaks = try #require(page.firstMatch(of: /<section id="peaks">(.*?)<\/section>/.dotMatchesNewlines())?.1)
        let growths = peaks.matches(of: /<text[^>]*>\+([0-9.]+) MiB/).compactMap { Double($0.1) }
        #expect(growths.count == 40 && growths == growths.sorted(by: >) && Set(growths).count > 2)
        #expect(peaks.contains("20 lower cases are in the table."))
    }

    @Test func aRunWithoutSeriesDrawsWhatItHas() throws {
        let page = try Formats.runPage.text(of: Report(SamplePages.publishedSweep()))
        #expect(!page.contains("id=\"timelines\""))
        #expect(page.contains("id=\"slopes\"") && page.contains("class=\"chart lines\""))
        // The end of the page says what would have drawn them.
        #expect(page.contains("samples.csv"))
    }
}

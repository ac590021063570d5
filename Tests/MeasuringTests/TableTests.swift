// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Reports
import Runs
import Testing

struct SamplesTableTests {
    private func sample(_ milliseconds: Int, _ resident: Int, shared: Int = 100) -> Sample {
        Sample(timeNanoseconds: milliseconds * 1_000_000, resident: ByteCount(resident), shared: ByteCount(shared))
    }

    @Test func theColumnsAreThePromisedOnes() {
        #expect(
            SamplesTable.header
                == "trial,time_ns,phase,resident_bytes,anonymous_bytes,file_bytes,received_bytes,"
                + "charged_bytes\n")
    }

    @Test func samplesAreLabelledWithTheirPhaseAndTimedFromTheFirst() throws {
        let trial = try SyntheticTrial(number: 3).trial()
        let samples = [
            sample(900, 200), sample(1000, 300), sample(1200, 310, shared: 110), sample(1200, 320),
            sample(1210, 330), sample(1300, 340), sample(1385, 350),
        ]
        #expect(
            SamplesTable.text(of: trial, samples: samples) == """
                3,0,warmup,200,100,100,,
                3,100000000,fetch,300,200,100,,
                3,300000000,fetch,310,200,110,,
                3,300000000,fetch,320,220,100,,
                3,310000000,hold,330,230,100,,
                3,400000000,render,340,240,100,,
                3,485000000,release,350,250,100,,

                """)
    }

    @Test func instantsBetweenTwoPhasesHaveNone() throws {
        let trial = try SyntheticTrial().trial()
        let rows = MiniCSV.rows(
            of: SamplesTable.text(of: trial, samples: [sample(1100, 1), sample(1200, 2), sample(1400, 3)]))
        #expect(rows.map { $0[2] } == ["fetch", "fetch", ""])
        let between = Sample(timeNanoseconds: 1_200_500_000, resident: ByteCount(5), shared: .zero)
        #expect(MiniCSV.rows(of: SamplesTable.text(of: trial, samples: [between])).first?[2].isEmpty == true)
    }

    @Test func plateausKeepTheirTwoEnds() throws {
        let trial = try SyntheticTrial().trial()
        let samples = [
            sample(1010, 5), sample(1020, 7), sample(1030, 7), sample(1040, 7), sample(1050, 7), sample(1060, 8),
        ]
        let rows = MiniCSV.rows(of: SamplesTable.text(of: trial, samples: samples))
        #expect(rows.map { $0[1] } == ["0", "10000000", "40000000", "50000000"])
    }

    @Test func aPlateauIsNotThinnedAcrossPhasesNorWhereOnlyFilePagesChange() throws {
        let trial = try SyntheticTrial().trial()
        let across = [sample(1190, 7), sample(1200, 7), sample(1201, 7), sample(1210, 7)]
        #expect(MiniCSV.rows(of: SamplesTable.text(of: trial, samples: across)).count == 4)
        let shared = [sample(1010, 7, shared: 1), sample(1020, 7, shared: 2), sample(1030, 7, shared: 3)]
        #expect(MiniCSV.rows(of: SamplesTable.text(of: trial, samples: shared)).count == 3)
    }

    /// The fetch begins at 1000 ms: what was sent before was the warm-up's.
    @Test func samplesHaveTheBytesSentByTheOrigin() throws {
        let trial = try SyntheticTrial().trial()
        let sent = [(900, 1024), (1000, 100), (1005, 200), (1030, 700)].map {
            SentBytes(time: $0.0 * 1_000_000, count: $0.1)
        }
        let samples = [
            sample(900, 5), sample(1001, 7), sample(1010, 7), sample(1020, 7), sample(1040, 7), sample(1050, 7),
            sample(1060, 8),
        ]
        let rows = MiniCSV.rows(of: SamplesTable.text(of: trial, samples: samples, sent: sent))
        // Level samples stay where bytes came meanwhile.
        #expect(rows.map { $0[1] } == ["0", "101000000", "110000000", "140000000", "150000000", "160000000"])
        #expect(rows.map { $0[6] } == ["0", "100", "300", "1000", "1000", "1000"])
        let none = SamplesTable.text(of: trial, samples: samples, sent: [SentBytes(time: 900_000_000, count: 1024)])
        #expect(MiniCSV.rows(of: none).allSatisfy { $0[6].isEmpty })
    }

    /// Resident memory is level while a file is written: page cache belongs to no process.
    @Test func samplesHaveTheChargeOfTheControlGroup() throws {
        let trial = try SyntheticTrial().trial()
        let charges = [(1000, 400), (1015, 800), (1029, 802)].map { time, total in
            ChargeSampler.Sample(
                timeNanoseconds: time * 1_000_000,
                charge: MemoryCharge(
                    total: ByteCount(total), anonymous: .zero, pageCache: ByteCount(total), sharedMemory: .zero))
        }
        let samples = [
            sample(990, 5), sample(1001, 7), sample(1010, 7), sample(1020, 7), sample(1030, 7), sample(1040, 8),
        ]
        let rows = MiniCSV.rows(of: SamplesTable.text(of: trial, samples: samples, charges: charges))
        #expect(rows.map { $0[1] } == ["0", "11000000", "30000000", "40000000", "50000000"])
        #expect(rows.map { $0[7] } == ["", "400", "800", "802", "802"])
    }

    @Test func aJournalIsReadInTheOrderOfTime() {
        let sent = SentBytes.all(in: Data("20 5\n10 3\nx 4\n30\n40 7".utf8))
        #expect(sent == [(10, 3), (20, 5), (40, 7)].map { SentBytes(time: $0.0, count: $0.1) })
    }

    @Test func aJournalNamesWhatWasSentOverHTTP2() {
        let sent = SentBytes.all(in: Data("10 3 2\n20 5\n30 7 3\n40 7 2 2".utf8))
        #expect(sent == [SentBytes(time: 10, count: 3, isHTTP2: true), SentBytes(time: 20, count: 5)])
    }

    @Test func impossibleEntriesOfAJournalAreRefused() {
        let text = "1 9223372036854775807\n9223372036854775807 1\n-1 1\n1 -1\n1 99999999999999\n2 3"
        #expect(SentBytes.all(in: Data(text.utf8)) == [SentBytes(time: 2, count: 3)])
    }

    @Test func aTrialWithoutAnAnswerHasSamplesWithoutPhases() throws {
        var trial = try SyntheticTrial().trial()
        trial.report = nil
        #expect(SamplesTable.text(of: trial, samples: [sample(5, 9, shared: 4)]) == "1,0,,9,5,4,,\n")
        #expect(SamplesTable.text(of: trial, samples: []).isEmpty)
    }
}

struct SummaryTableTests {
    @Test func theColumnsAreThePromisedOnes() throws {
        let header = MiniCSV.rows(of: SummaryTable.text(of: Report(SyntheticRun.record(.synthetic()))))
        #expect(
            header == [
                [
                    "case", "asset", "asset_bytes", "mode", "render", "allocator", "metric", "unit", "n", "failed",
                    "median", "min", "max", "mad", "cv_ratio",
                ] + MetricTests.conditions
            ])
    }

    @Test func aRowSumsUpOneMetricOfOneCase() throws {
        let plan = Plan.synthetic(modes: [FakeMode(name: "data")], models: [FakeModel(name: "none", needsBody: false)])
        var run = SyntheticRun.record(plan)
        run.trials = try [(1, 100), (2, 400), (3, 200), (4, 900)].map { number, settled in
            try SyntheticTrial(number: number, settled: ByteCount(settled)).trial()
        }
        run.trials[3].outcome = Outcome(.timedOut, "killed after 60 s")
        let rows = MiniCSV.records(of: SummaryTable.text(of: Report(run)))
        let row = try #require(rows.first { $0["metric"] == "retained_resident_growth_bytes" })
        let variation = row["cv_ratio"].flatMap(Double.init) ?? 0
        #expect(
            row.merging(["cv_ratio": ""]) { $1 }.filter { !MetricTests.conditions.contains($0.key) } == [
                "case": "hero/data/none/glibc", "asset": "hero", "asset_bytes": "13099008", "mode": "data",
                "render": "none", "allocator": "glibc", "metric": "retained_resident_growth_bytes", "unit": "bytes",
                "n": "3", "failed": "1", "median": "200", "min": "100", "max": "400", "mad": "100", "cv_ratio": "",
            ])
        // The standard deviation of 100, 200 and 400 is 152.7525…, their mean 233.33….
        #expect(abs(variation - 0.6546536707079772) < 1e-12)
        #expect(!rows.contains { $0["metric"] == "page_cache_bytes" })
        #expect(!rows.contains { $0["case"] == "hero/data/none/jemalloc" })
    }

    /// Of raw it is absent, for a reason of its own in each rendering.
    @Test func kIsTheSameWhereverItStands() throws {
        var run = try SyntheticRun.complete()
        run.trials = run.trials.map { stored in
            var trial = stored
            switch (trial.cell.mode, trial.cell.render) {
            case ("raw", "none"): trial.assetByteCount = ByteCount(62)
            case ("raw", "imageview"): trial.report?.isDecodedWhileFetching = true
            case ("raw", _):
                trial.report?.command = SyntheticCommand.trace(5000, net: nil)
                trial.report?.baseline?.memory.resident = .zero
            default: break
            }
            return trial
        }
        let (report, name) = (Report(run), Metric.copiesHeld.name)
        let cases = report.cases.filter { $0.asset != nil }
        #expect(cases.allSatisfy { ($0.copies == nil) == ($0.cell.mode == "raw") })
        let lines = try Formats.runMarkdown.text(of: report).split(separator: "\n").map { $0.split(separator: "|") }
        let tables = lines.enumerated().compactMap { place, header in
            header.firstIndex(of: " k ").map { column in
                lines[(place + 2)...].prefix { $0.count == header.count }.map { " " + $0[column].drop { $0 == " " } }
            }
        }
        let texts = { (cases: [CaseSummary]) in cases.map { " \(FigureText.ratio($0.copies)) " } }
        #expect(tables == [texts(cases + report.cases.filter { $0.asset == nil }), texts(report.cases)])
        let summaries = MiniCSV.records(of: SummaryTable.text(of: report)).filter { $0["metric"] == name }
        #expect(summaries.map { Double($0["median"] ?? "") } == cases.map(\.copies).filter { $0 != nil })
        let budget = try Budget(parsing: "hero/*: k <= 100", of: OurFigures.metrics)
        // A budget has to hold in every trial.
        let highest = cases.map { $0.values(of: .copiesHeld)?.maximum }
        #expect(BudgetJudge.findings(for: [budget], in: run).map(\.finding.head) == highest)
    }

    @Test func aSingleTrialHasNoVariation() throws {
        let plan = Plan.synthetic(modes: [FakeMode(name: "data")], models: [FakeModel(name: "none", needsBody: false)])
        var run = SyntheticRun.record(plan)
        run.trials = [try SyntheticTrial().trial()]
        let rows = MiniCSV.records(of: SummaryTable.text(of: Report(run)))
        #expect(!rows.isEmpty)
        #expect(rows.allSatisfy { $0["n"] == "1" && $0["cv_ratio"]?.isEmpty == true && $0["mad"] == "0" })
    }
}

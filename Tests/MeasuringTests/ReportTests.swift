// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Measuring
import Reports
import Runs
import Testing

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

    @Test func textFromOutsideReachesTheReportEscaped() throws {
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
        #expect(text == "data peaks 24.77 MiB above raw (hero (12.5 MiB), glibc, 3 trials).")
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

    /// A fetch of 13,098,516 bytes in 200 ms; moving them is worth 13 ms.
    @Test(arguments: [
        (95, "60MiB", 0, 1, true), (90, "60MiB", 0, 1, false), (190, "shared:60MiB", 0, 1, true),
        (190, "shared:120MiB", 0, 2, true), (190, "shared:60MiB", 0, 2, false), (190, "unlimited", 0, 1, false),
        (190, "unlimited", 190, 1, true), (190, "unlimited", 120, 1, false), (190, "30MiB", 0, 1, false),
        (190, "30MiB", 200, 1, true),
    ])
    func aProcessorThatIsBusyWhileTheOriginWaitsIsWarnedOf(
        used: Int, rate: String, latency: Int, atOnce: Int, isWarned: Bool
    ) throws {
        var trial = try SyntheticTrial().trial()
        trial.cell.conditions.concurrency = atOnce
        var run = SyntheticRun.record(.synthetic())
        run.plan.cases = [trial.cell]
        run.plan.settings.rate = rate
        run.plan.settings.latencyNanoseconds = latency == 0 ? nil : latency * 1_000_000
        trial.report?.phases[0].cpuNanoseconds = used * 1_000_000
        let warnings = run.completed(from: [trial], finishedAt: nil).warnings.map(\.text)
        #expect(warnings.contains { $0.contains("s of processor for each second") } == isWarned, "\(warnings)")
    }

    @Test(arguments: [(nil, false), (.http2, false), (.http1, true)] as [(HTTPProtocol?, Bool)])
    func rowsOfAForeignURLOverTwoVersionsOfHTTPAreWarnedOf(version: HTTPProtocol?, isWarned: Bool) throws {
        var run = SyntheticRun.record(.synthetic())
        run.plan.assets = [Asset(name: "hero", location: "https://example.org/hero.jpg", isEmbedded: false)]
        var trials = try ["data", "raw"].map { mode in
            var synthetic = SyntheticTrial()
            synthetic.cell.mode = mode
            return try synthetic.trial()
        }
        (trials[0].httpVersion, trials[1].httpVersion) = (.http2, version)
        let warnings = run.completed(from: trials, finishedAt: nil).warnings.map(\.text)
        #expect(warnings.contains { $0.contains("HTTP/2 by data and over HTTP/1.1 by raw") } == isWarned, "\(warnings)")
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

/// Stored runs are validated in the same way when they are read.
struct StoredReportTests {
    @Test(arguments: [
        ("report.phases.0.end_ns", "5", "report.phases[0].end_ns"),
        ("report.baseline.memory.resident_bytes", "-9223372036854775808", "report.baseline.memory.resident_bytes"),
        ("process_duration_ns", "9223372036854775807", "process_duration_ns"),
        ("asset_bytes", "-1", "asset_bytes"),
        ("anonymous_peaks.0.sampled_maximum_bytes", "9223372036854775807", "anonymous_peaks[0]"),
        ("report", "", "report is missing"),
        ("case.conditions", "{\"concurrency\":9223372036854775807}", "case.conditions.concurrency"),
    ])
    func aTrialThatCannotBeIsRefusedWithItsLine(path: String, value: String, field: String) throws {
        try withTemporaryFolder { place in
            let folder = RunFolder(existing: place)
            let run = SyntheticRun.record(.synthetic())
            try RunStore.create(run, in: folder)
            try TrialLog(folder).append(try SyntheticTrial(number: 1).trial())
            let good = try folder.data(of: .log)
            let bad = try MutatedJSON.text(of: good, setting: path, to: value)
            try folder.write(String(decoding: good, as: UTF8.self) + bad + "\n", to: .log)
            let reason = try malformedRun { _ = try RunStore.load(folder) }.reason
            #expect(reason.hasPrefix("line 2 of trials.jsonl ") && reason.contains(field), "\(reason)")
        }
    }

    @Test(arguments: [
        ("plan.trials", "9223372036854775807", "plan.trials"),
        ("plan.settings.timeout_seconds", "1e300", "plan.settings.timeout_seconds"),
        ("plan.assets.0.bytes", "9223372036854775807", "plan.assets[0].bytes"),
        ("environment.peak_error_bound_bytes", "9223372036854775807", "environment.peak_error_bound_bytes"),
    ])
    func aRunThatCannotBeIsRefusedWithItsField(path: String, value: String, field: String) throws {
        var text = try StoredText(SyntheticRun.complete())
        text.head = try MutatedJSON.text(of: Data(text.head.utf8), setting: path, to: value)
        let reason = try text.reason()
        #expect(reason.contains(field), "\(reason)")
    }

    /// Values keyed by the name of a case are kept once.
    @Test func aCaseThatIsThereTwiceIsRefused() throws {
        var run = try SyntheticRun.complete()
        run.plan.cases += run.plan.cases.prefix(1)
        let reason = try StoredText(run).reason()
        #expect(reason.contains("plan.cases[\(run.plan.cases.count - 1)]"), "\(reason)")
    }

    @Test func aHistoryIsReadInTheOrderOfItsDates() throws {
        let run = SyntheticRun.record(Plan.synthetic())
        let points = (1...12).map { day in
            var point = HistoryPoint(of: run)
            (point.measuredAt, point.commit) = ("2026-01-0\(day + 10)", "c\(day)")
            point.machine = day < 7 ? point.machine : "second"
            point.medians = ["a": ["net_peak_bytes": day < 7 ? 10e6 : 20e6]]
            return point
        }
        let words = History.warnings(about: points.reversed()).map(\.text)
        #expect(words.count == 1 && words[0].contains("+9.54 MiB at c7") && words[0].contains("another machine"))
    }

    @Test func aHistoryOfImpossibleMediansIsRefused() throws {
        let line = "{\"measured_at\":\"2026\",\"medians\":{\"a/b/c/d\":{\"net_peak_bytes\":1e300}}}\n"
        let error = try #require(throws: FetchBenchError.self) { try History.points(parsing: Data(line.utf8)) }
        #expect(error.message.contains("line 1") && error.message.contains("net_peak_bytes"), "\(error)")
    }
}

/// Render models that decode records: which assets and modes they are for, and how their count is verified.
struct RecordsTests {
    private static let json = FakeModel(name: "json", need: .json)

    private static func asset(_ name: String, _ mediaType: String) -> Asset {
        var asset = Asset(
            name: name, location: "/\(name)", isEmbedded: true, byteCount: .mebibytes(1), mediaType: mediaType)
        asset.recordCount = mediaType == "application/json" ? 8191 : nil
        return asset
    }

    private static let document = asset("json-1MiB", "application/json")

    private func reason(_ model: FakeModel, _ asset: Asset, _ mode: FakeMode = FakeMode(name: "data")) -> String? {
        Plan.synthetic(assets: [asset], modes: [mode], models: [model], allocators: [.glibc]).inapplicable.first?.reason
    }

    @Test func recordsAreDecodedOfDocumentsAndPicturesOfImages() {
        let image = Self.asset("hero", "image/jpeg")
        let picture = FakeModel(name: "imageview")
        #expect(reason(Self.json, Self.document) == nil && reason(picture, image) == nil)
        #expect(
            reason(Self.json, image)
                == "render model json decodes only JSON assets such as json-1MiB, and asset hero is not one"
        )
        #expect(
            reason(picture, Self.document)
                == "asset json-1MiB is application/json, and imageview renders only images")
        let foreign = Asset(name: "url", location: "https://example.org/a.json", isEmbedded: false)
        #expect(reason(Self.json, foreign)?.contains("decodes only JSON assets") == true)
    }

    @Test func aModeThatDecodesRecordsItselfIsNotRendered() {
        let mode = FakeMode(name: "publisher-decode", need: .json)
        #expect(
            reason(Self.json, Self.document, mode)
                == "mode publisher-decode decodes records itself: use --render none")
    }

    @Test func aModelOfAnOlderProgramIsOneOfPictures() throws {
        let text = #"{"name":"old","summary":"","needs_body":true,"environment":{}}"#
        let old = try JSONDecoder().decode(RenderModelDeclaration.self, from: Data(text.utf8))
        #expect(old.need == .image)
        let new = RenderModelDeclaration(Self.json)
        #expect(try JSONDecoder().decode(RenderModelDeclaration.self, from: JSONEncoder().encode(new)) == new)
    }

    @Test(arguments: [
        (8191, 1, Outcome.completed), (8190, 1, Outcome(.wrongBody, "8190 records decoded instead of 8191")),
        (8191, 2, Outcome(.wrongBody, "8191 records decoded instead of 16382")), (16382, 2, .completed),
    ])
    func theRecordsAreCountedAgainstTheAsset(count: Int, concurrency: Int, outcome: Outcome) throws {
        var synthetic = SyntheticTrial(bodySHA256: nil)
        synthetic.asset = Self.document
        synthetic.cell.render = "json"
        synthetic.cell.conditions.concurrency = concurrency
        synthetic.records = count
        let trial = try synthetic.trial()
        #expect(trial.outcome == outcome)
        #expect(Metric.decodedRecords.value(trial) == Double(count))
    }
}

struct SentNotesTests {
    /// Whatever is written between two readings is in one of them, and half a line in the next.
    @Test func noTrialIsLostAndNoneIsTakenTwice() throws {
        let path = NSTemporaryDirectory() + "notes-\(UUID().uuidString)"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let writer = try #require(FileHandle(forWritingAtPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let notes = try #require(OriginProcess.SentNotes(path: path))
        #expect(!FileManager.default.fileExists(atPath: path), "its name is gone")
        #expect(notes.taken().isEmpty)
        var sent: [SentBytes] = []
        for round in 0..<50 {
            let text = (0..<round).map { "\(round * 1000 + $0) \($0 + 1)\n" }.joined()
            let cut = text.utf8.count / 3
            writer.write(Data(text.utf8.prefix(cut)))
            sent += notes.taken()
            writer.write(Data(text.utf8.dropFirst(cut)))
            if round.isMultiple(of: 2) { sent += notes.taken() }
        }
        sent += notes.taken()
        let wanted = (0..<50).flatMap { round in (0..<round).map { SentBytes(time: round * 1000 + $0, count: $0 + 1) } }
        #expect(sent == wanted)
    }

    @Test func aFileThatIsNotThereHasNoNotes() {
        #expect(OriginProcess.SentNotes(path: "/nonexistent/notes") == nil)
    }
}

struct TransferRateTests {
    @Test(arguments: [
        ("unlimited", TransferRate.unlimited),
        ("60MiB", .each(.mebibytes(60))),
        ("60MiB/s", .each(.mebibytes(60))),
        ("1000", .each(ByteCount(1000))), ("shared:1000", .shared(ByteCount(1000))),
    ])
    func isASizeASecondOrUnlimited(text: String, rate: TransferRate) {
        #expect(TransferRate(parsing: text) == rate)
        #expect(TransferRate(parsing: rate.text) == rate)
    }

    @Test(arguments: ["", "0", "0MiB", "-1", "60MB", "fast", "/s", "shared:", "shared:0", "shared:unlimited"])
    func isNever0NegativeOrInUnitsOfTwoMeanings(text: String) {
        #expect(TransferRate(parsing: text) == nil)
    }
}

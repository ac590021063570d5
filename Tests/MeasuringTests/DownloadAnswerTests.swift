// SPDX-License-Identifier: Apache-2.0

import Foundation
import Reports
import Runs
import Testing

/// The memory that a download task saves, for runs with known figures.
struct DownloadAnswerTests {
    /// By how many KiB each of the four cases grew in its trials.
    private struct Growths {
        var data = [25_600, 25_600, 25_600]
        var download = [1_024, 1_024, 1_024]
        var dataRendered = [102_400, 102_400, 102_400]
        var downloadRendered = [92_160, 92_160, 92_160]

        func of(_ cell: Case) -> [Int] {
            switch (cell.mode, cell.render) {
            case ("data", "none"): data
            case ("data", _): dataRendered
            case (_, "none"): download
            default: downloadRendered
            }
        }
    }

    private func report(
        _ growths: Growths, assets: [Asset] = [.hero], modes: [String] = ["data", "download"],
        conditions: FetchConditions = .standard, charges: [String: Int] = [:],
        outcome: (Case) -> Outcome = { _ in .completed }
    ) throws -> Report {
        let plan = Plan.synthetic(
            assets: assets, modes: modes.map { FakeMode(name: $0) },
            models: [FakeModel(name: "none"), FakeModel(name: "imageview")],
            allocators: [.glibc], conditions: [conditions])
        var run = SyntheticRun.record(plan)
        run.trials = try plan.cases.flatMap { cell in
            try growths.of(cell).map { kibibytes in
                var synthetic = SyntheticTrial(cell: cell)
                let peaking = [Phase.fetch, .hold, .render]
                synthetic.peaks = Dictionary(uniqueKeysWithValues: peaking.map { ($0, .kibibytes(kibibytes)) })
                synthetic.ends = synthetic.peaks.merging([.release: .zero]) { $1 }
                if cell.render == "imageview" { synthetic.bitmap = .kibibytes(90_000) }
                var trial = try synthetic.trial()
                trial.outcome = outcome(cell)
                trial.charge = try charges[cell.mode].map { try charge(growing: $0) }
                return trial
            }
        }
        return Report(run)
    }

    private func charge(growing mebibytes: Int) throws -> TrialCharge {
        let size = { ByteCount.mebibytes($0) }
        let series = ChargeSeries(samples: [], peak: ChargePeak(total: size(10 + mebibytes), errorBound: .zero))
        var charge = try #require(TrialCharge(series, report: nil))
        charge.baseline = MemoryCharge(total: size(10), anonymous: size(5), pageCache: .zero, sharedMemory: .zero)
        charge.sampledPeak = size(10 + mebibytes)
        return charge
    }

    /// The file of a download task is in no process's memory, and charged on tmpfs.
    @Test func theHeadlineFollowsTheChargeWhereAFileIsMemory() throws {
        func headline(_ modes: [String], _ charges: [String: Int], on files: String = "tmpfs") throws -> String {
            var run = try report(Growths(), modes: modes, charges: charges).run
            run.environment.temporaryFileSystem = files
            return Headline(Report(run)).text
        }
        let charges = ["data": 26, "download": 14, "stream": 1]
        #expect(
            try headline(["data", "download"], charges).hasPrefix("A download task saves 12.00 MiB (46.2 %) without"))
        #expect(try headline(["data", "download"], charges, on: "ext4").hasPrefix("A download task saves 24.00 MiB"))
        #expect(try headline(["download", "stream"], charges).hasPrefix("download peaks 13.00 MiB above stream ("))
        // Without a charge the figures stand, and what they leave out is said.
        let uncharged = try headline(["data", "download"], ["data": 26])
        #expect(
            uncharged.hasPrefix("A download task saves 24.00 MiB") && uncharged.contains("A file on tmpfs is memory"))
    }

    private func sentence(_ growths: Growths) throws -> String { Headline(try report(growths)).text }

    /// The cells of the table of the answer, by the row's label.
    private func rows(_ report: Report) throws -> [String: [String]] {
        let lines = try Formats.runMarkdown.text(of: report).split(separator: "\n").drop { !$0.hasPrefix("| MiB |") }
            .prefix { $0.hasPrefix("|") }
        let cells = lines.map { $0.split(separator: "|").map { $0.drop { $0 == " " }.dropLast().description } }
        return Dictionary(cells.compactMap { row in row.first.map { ($0, Array(row.dropFirst())) } }) { first, _ in
            first
        }
    }

    @Test func theSentenceSaysWhatIsSavedWithoutRenderingAndWithIt() throws {
        #expect(
            try sentence(Growths())
                == "A download task saves 24.00 MiB (96.0 %) without rendering and 10.00 MiB (10.0 %) with it: "
                + "anonymous memory at its peak, hero (12.5 MiB) on glibc.")
    }

    @Test func anAnswerWithoutASavingSaysSo() throws {
        var growths = Growths()
        growths.download = growths.data
        growths.downloadRendered = growths.dataRendered
        #expect(
            try sentence(growths).hasPrefix(
                "A download task saves nothing measurable, neither without rendering nor with it: "))
        growths.downloadRendered = [92_160, 92_160, 92_160]
        #expect(
            try sentence(growths).hasPrefix(
                "A download task saves nothing that the trials show without rendering and 10.00 MiB (10.0 %) with it: ")
        )
    }

    @Test func anAnswerWithMoreMemorySaysSo() throws {
        var growths = Growths()
        growths.download = [26_624, 26_624, 26_624]
        #expect(
            try sentence(growths).hasPrefix(
                "A download task holds 1.00 MiB more than a data task without rendering and saves 10.00 MiB (10.0 %) with it"
            ))
        growths.downloadRendered = [104_448, 104_448, 104_448]
        #expect(
            try sentence(growths).hasPrefix(
                "A download task holds 1.00 MiB more than a data task without rendering and 2.00 MiB more than a data "
                    + "task with it"))
    }

    /// A difference within what the trials differ by themselves is none, and a few pages are none either.
    @Test(arguments: [
        ([24_000, 25_600, 27_000], [23_000, 24_700, 26_000]), ([2_000, 2_000, 2_000], [1_940, 1_940, 1_940]),
    ])
    func savingsThatTrialsDoNotShowAreNotClaimed(data: [Int], download: [Int]) throws {
        var growths = Growths()
        growths.data = data
        growths.download = download
        #expect(try report(growths).downloadAnswer?.plain.saving(of: .peakAnonymousGrowth)?.verdict == .same)
        #expect(try sentence(growths).hasPrefix("A download task saves nothing that the trials show without"))
    }

    @Test func theTableHasBaseTotalAndGrowthAnonymousFirst() throws {
        let rows = try rows(try report(Growths()))
        #expect(rows["MiB"]?.prefix(3) == ["anonymous: base", "total", "growth"])
        #expect(rows["data task"] == ["6.00", "31.00", "+25.00", "24.00", "49.00", "+25.00", "2.00", "2.40"])
        #expect(rows["saved"] == ["–", "–", "24.00 (96.0 %)", "–", "–", "24.00 (96.0 %)", "–", "–"])
        #expect(rows["saved + rendering"]?[2] == "10.00 (10.0 %)")
    }

    /// Peak growth ÷ asset size would count the bitmap in encoded copies.
    @Test func ofARenderedRowKCountsTheCopiesBesideTheBitmap() throws {
        let report = try report(Growths())
        let size = Double(try #require(Asset.hero.byteCount).rawValue)
        for (label, grown, published) in [("data task", 102_400.0, "2.12"), ("download task", 92_160.0, "0.12")] {
            let row = try #require(rows(report)[label + " + rendering"])
            let copies = try #require(Double(row[6]))
            #expect(abs(copies - (grown - 90_000) * 1024 / size) < 0.006)
            #expect(row[7] == published)
        }
    }

    @Test func aRunWithoutOneOfTheFourCasesHasNoSuchTable() throws {
        let failing = try report(Growths()) { cell in
            cell.render == "imageview" ? Outcome(.failed, "render: not_an_image: no JPEG") : .completed
        }
        for report in [try report(Growths(), modes: ["data", "stream"]), failing] {
            #expect(try report.downloadAnswer == nil && rows(report).isEmpty)
            #expect(Headline(report).text.hasPrefix("data peaks "))
            let text = try Formats.runMarkdown.text(of: report)
            #expect(!text.contains("What a download task saves"))
            let data = try #require(text.split(separator: "\n").first { $0.hasPrefix("| data | none |") })
            #expect(data.contains("| +25.00 |") && data.contains("| 2.00 |"))
            #expect(!text.contains("published"))
            #expect((try Formats.runTable.text(of: report)).hasPrefix("data peaks "))
        }
    }

    @Test func aScenarioIsAnotherQuestion() throws {
        var conditions = FetchConditions.standard
        conditions.scheme = .https
        let secure = try report(Growths(), conditions: conditions)
        #expect(Headline(secure).text.hasSuffix("hero (12.5 MiB) on glibc, scheme=https."))
        conditions.scenario = ScenarioChoice(name: "repeat")
        #expect(try report(Growths(), conditions: conditions).downloadAnswer == nil)
    }

    @Test func theTerminalShowsTheAnswerFirst() throws {
        let lines = try Formats.runTable.text(of: try report(Growths())).split(separator: "\n")
        #expect(lines[0].hasPrefix("A download task saves 24.00 MiB"))
        #expect(lines.contains { $0.hasPrefix("data ") && $0.contains("+25.00") })
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func theReasonForAnotherSavingIsGivenWithTheFiguresOfTheRun() throws {
        let report = try report(Growths())
        let text = try Formats.runMarkdown.text(of: report)
        #expect(text.contains("26 MB without rendering, 25 MB with it. Here: 24.00 and 10.00 MiB."))
        #expect(text.contains("(copies of the data task here: 2.00, with rendering 0.97)"))
    }

    /// Megabytes of a photo say nothing about an asset of another size.
    @Test(arguments: ["markdown", "terminal", "html"])
    func otherAssetsAreNotComparedWithThePublishedPhoto(format: String) throws {
        for size in [69, 14_000_000, 12_000_000] {
            var asset = Asset.hero
            asset.byteCount = ByteCount(size)
            let report = try report(Growths(), assets: [asset])
            let text =
                switch format {
                case "markdown": (try Formats.runMarkdown.text(of: report))
                case "terminal": (try Formats.runTable.text(of: report))
                default: try Formats.runPage.text(of: report)
                }
            #expect(report.downloadAnswer != nil && text.contains("24.00"))
            for word in ["ublished", PublishedFigures.iOS.site] { #expect(!text.contains(word), "\(word)") }
        }
    }

    @Test(arguments: ["markdown", "html"])
    func documentsCiteTheSourceAndShowTheMegabytes(format: String) throws {
        let report = try report(Growths())
        let published = PublishedFigures.iOS
        let text =
            switch format {
            case "markdown": (try Formats.runMarkdown.text(of: report))
            default: try Formats.runPage.text(of: report)
            }
        for part in [published.heading, published.title, published.address] + published.explanation {
            #expect(text.contains(part), "\(part)")
        }
    }
}

struct PublishedFiguresTests {
    private let published = PublishedFigures.iOS

    @Test(arguments: [
        ("data", false, "2.40"), ("data", true, "2.12"), ("download", false, "0.32"), ("download", true, "0.12"),
        ("stream", false, "–"), ("stream", true, "–"),
    ])
    func copiesAreDerivedByOurOwnDefinition(mode: String, rendered: Bool, copies: String) {
        #expect(FigureText.ratio(published.copies(of: mode, rendered: rendered)) == copies)
    }

    @Test func thePublishedSavingStaysWithRendering() {
        #expect(published.savings == "26 MB without rendering, 25 MB with it")
    }

    @Test func aTerminalShowsEveryLineWhole() {
        for line in published.explanation { #expect(line.count <= 120, "\(line)") }
    }

    @Test func theDocumentHasTheSameFiguresAndTheSource() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/published-figures.md"
        ).path
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = lines.filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(rows.count { $0.last == published.heading } == 1)
        for fetch in [published.data, published.download] {
            for (suffix, rendered) in [("", false), (" + rendering", true)] {
                let row = try #require(rows.first { $0.first == fetch.name + suffix })
                #expect(row.last == FigureText.ratio(published.copies(of: fetch.mode, rendered: rendered)))
            }
        }
        // Without the sources of figures, which readers do not see.
        let text = lines.joined(separator: " ").replacing(/<!--.*?-->/, with: "")
        let shown = "\(published.site), *\(published.title)*](\(published.address))"
        for part in [shown, published.megabytes, published.savings] { #expect(text.contains(part), "\(part)") }
    }
}

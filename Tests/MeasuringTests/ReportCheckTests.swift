// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

/// A report is held to what is possible where it enters: what cannot be is refused, and the field is named.
struct ReportCheckTests {
    /// Returns the outcome of a valid trial with one value of its report replaced.
    private func outcome(
        setting path: String, to value: String, asked: ReportWitness.Asked? = nil
    ) throws -> Outcome {
        let synthetic = SyntheticTrial()
        var end = try synthetic.end()
        end.output = Array(try MutatedJSON.text(of: Data(end.output), setting: path, to: value).utf8)
        var assembler = TrialAssembler(slot: synthetic.slot, asset: synthetic.asset, timeoutSeconds: 60)
        assembler.asked = asked
        let trial = assembler.trial(of: end)
        #expect(trial.isCompleted || trial.report == nil, "what cannot be is not stored")
        return trial.outcome
    }

    private static let asked = ReportWitness.Asked(version: 1, verification: .sha256, fetches: true)

    @Test func theExampleOfTheProtocolIsPossible() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/trial-protocol.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let example = try #require(
            text.components(separatedBy: "<!-- example: trialReport -->\n```json\n").last?.components(
                separatedBy: "```"
            ).first)
        let report = try ForeignDocument.decode(TrialReport.self, from: Array(example.utf8))
        let mistakes = ReportWitness(asked: Self.asked).mistakes(in: report)
        #expect(mistakes.isEmpty, "\(mistakes)")
    }

    @Test(arguments: [
        ("version", "-1"), ("version", "\"1\""), ("version", "null"), ("exactness", "\"perfect\""),
        ("allocator", ""), ("huge_pages_disabled", "1"),
        ("baseline", ""), ("baseline.memory.resident_bytes", "9223372036854775807"),
        ("baseline.memory.resident_bytes", "-9223372036854775807"),
        ("baseline.memory.resident_bytes", "35184372088832"), ("baseline.memory.anonymous_bytes", "90000000"),
        ("baseline.memory.anonymous_bytes", "-1"), ("baseline.memory.program_bytes", "41943040"),
        ("baseline.memory.threads", "0"), ("baseline.memory.threads", "-9223372036854775808"),
        ("baseline.memory.cpu_ns", "-1"), ("baseline.memory.time_ns", "-1"),
        ("baseline.memory.unique_bytes", "9223372036854775807"), ("baseline.memory.proportional_bytes", "-7"),
        ("baseline.memory.minor_faults", "-1"), ("baseline.allocator.allocated_bytes", "9223372036854775807"),
        ("phases.0.start_ns", "-5"), ("phases.0.end_ns", "5"), ("phases.0.end_ns", "null"),
        ("phases.1.start_ns", "1100000000"), ("phases.0.cpu_ns", "9223372036854775807"), ("phases.0.cpu_ns", "-1"),
        ("phases.0.start_shared_bytes", "35184372088832"), ("phases.0.start_shared_bytes", "-9223372036854775808"),
        ("phases.2.peak.resident_bytes", "9223372036854775807"), ("phases.2.peak.resident_bytes", "1048576"),
        ("phases.2.peak.error_bound_bytes", "9223372036854775807"), ("phases.2.peak.error_bound_bytes", "-1"),
        ("phases.2.peak.source", "\"guess\""), ("phases.1.phase", "\"fetch\""), ("phases.1.phase", "\"warmup\""),
        ("phases.3.end.memory.resident_bytes", "-9223372036854775808"), ("phases.3.end.memory.time_ns", "0"),
        ("settled", ""), ("settled.memory.time_ns", "1"), ("settled.memory.resident_bytes", "-1"),
        ("purged.memory.time_ns", "1500000"), ("purged", "null"),
        ("body.bytes", "-1"), ("body.bytes", "9223372036854775807"), ("body.sha256", "\"\""),
        ("body.sha256", "\"0123456789ABCDEF\""), ("body.verification_cpu_ns", "-1"),
        ("body.page_cache_bytes", "-9223372036854775808"), ("body.bodies", "0"),
        ("picture", "{\"width\":-1,\"height\":1,\"bitmap_bytes\":0}"),
        ("records", "-1"), ("records", "9223372036854775807"),
        ("failure", "{\"phase\":\"render\",\"code\":\"a\\nb\",\"detail\":\"\",\"rejected\":false}"),
        ("failure", "{\"phase\":\"later\",\"code\":\"a\",\"detail\":\"\",\"rejected\":false}"),
        (
            "scenario",
            "{\"figures\":{\"requests_each_reading\":1e300},\"series\":{},\"trace\":[],\"remarks\":[]}"
        ),
        ("scenario", "{\"figures\":{\"a\":1e999},\"series\":{},\"trace\":[],\"remarks\":[]}"),
        ("scenario", "{\"figures\":{\"a\":-1e18},\"series\":{},\"trace\":[],\"remarks\":[]}"),
        (
            "scenario",
            "{\"figures\":{},\"series\":{\"a\":[-9223372036854775808]},\"trace\":[],\"remarks\":[]}"
        ),
    ])
    func impossibleValuesAreRefusedByField(path: String, value: String) throws {
        let outcome = try outcome(setting: path, to: value)
        let field = path.split(separator: ".").reduce(into: "") { text, word in
            text += word.allSatisfy(\.isNumber) ? "[\(word)]" : (text.isEmpty ? "" : ".") + word
        }
        #expect(outcome.kind == .failed)
        #expect(outcome.detail.hasPrefix("the trial's report is invalid: \(field)"), "\(outcome.detail)")
    }

    @Test(arguments: [("phases.1", "phases[1].phase"), ("phases.3", "phases"), ("phases", "phases")])
    func aPhaseThatIsMissingIsNamed(path: String, field: String) throws {
        let value = path == "phases" ? "[]" : ""
        let outcome = try outcome(setting: path, to: value)
        #expect(outcome.kind == .failed && outcome.detail.contains(": \(field) "), "\(outcome.detail)")
    }

    @Test func reportsAreCheckedAgainstRequests() throws {
        #expect(try outcome(setting: "version", to: "1", asked: Self.asked) == .completed)
        let newer = try outcome(setting: "version", to: "2", asked: Self.asked)
        #expect(newer.kind == .failed && newer.detail.contains(": version is 2, expected 1"))
        let unhashed = try outcome(setting: "body.sha256", to: "", asked: Self.asked)
        #expect(unhashed.kind == .failed && unhashed.detail.contains(": body.sha256 is missing"))
        let bodiless = try outcome(setting: "body", to: "", asked: Self.asked)
        #expect(bodiless.kind == .failed && bodiless.detail.contains(": body is missing"))
        var byLength = Self.asked
        byLength.verification = .length
        #expect(try outcome(setting: "body.sha256", to: "", asked: byLength) == .completed)
    }

    /// A command is the harness's own affair: who says to be one is verified by nothing.
    @Test func aModeIsNoCommand() throws {
        let command = """
            {"method":"exit_stops","timed_out":false,"start_ns":1,"end_ns":2,"cpu_ns":1,"processes":[],\
            "tree_maximum":{"resident_bytes":0,"anonymous_bytes":0,"time_ns":0,"processes":0}}
            """
        let outcome = try outcome(setting: "command", to: command, asked: Self.asked)
        #expect(outcome.kind == .failed && !outcome.detail.contains("completed"))
    }

    @Test(arguments: [
        "", "garbage", "{}", "[1, 2]", "\u{0}\u{1}", "\u{FEFF}{}", "{} {}", "{\"version\":1,\"version\":1}",
    ])
    func invalidDocumentsAreNone(text: String) throws {
        let synthetic = SyntheticTrial()
        var end = try synthetic.end()
        end.output = Array(text.utf8)
        let trial = TrialAssembler(slot: synthetic.slot, asset: synthetic.asset, timeoutSeconds: 60).trial(of: end)
        #expect(trial.outcome.kind == .failed && trial.report == nil)
    }

    /// A mark before the document, another one behind it, a byte that is no text, a key that is there twice.
    @Test func oneDocumentInUTF8IsExpected() throws {
        let sound = try SyntheticTrial().end().output
        let marked: [UInt8] = [0xEF, 0xBB, 0xBF] + sound
        let foreign = Array(sound.dropLast()) + Array(",\"note\":\"".utf8) + [0xFF] + Array("\"}".utf8)
        let doubled = Array(sound.dropLast()) + Array(",\"version\":1}".utf8)
        let unknown = Array(sound.dropLast()) + Array(",\"note\":\"what a newer version says\"}".utf8)
        for (output, isSound) in [
            (sound, true), (unknown, true), (marked, false), (sound + sound, false), (foreign, false), (doubled, false),
        ] {
            let synthetic = SyntheticTrial()
            var end = try synthetic.end()
            end.output = output
            let trial = TrialAssembler(slot: synthetic.slot, asset: synthetic.asset, timeoutSeconds: 60).trial(of: end)
            #expect(trial.isCompleted == isSound, "\(trial.outcome.detail)")
        }
    }
}

/// A report is held to what the harness saw meanwhile.
struct ReportWitnessTests {
    private func trial(
        asked: ReportWitness.Asked? = nil, sent: [SentBytes]? = nil,
        _ change: (inout ProcessEnd, inout TrialReport) -> Void = { _, _ in }
    ) throws -> Trial {
        let synthetic = SyntheticTrial()
        var end = try synthetic.end()
        var report = try synthetic.report()
        change(&end, &report)
        end.output = Array(try JSONEncoder().encode(report))
        var assembler = TrialAssembler(slot: synthetic.slot, asset: synthetic.asset, timeoutSeconds: 60)
        assembler.asked = asked
        assembler.sent = sent
        return assembler.trial(of: end)
    }

    /// Samples of a trial every millisecond from before its baseline on, that show what the process held.
    private static func samples(of report: TrialReport) -> [Sample] {
        let synthetic = SyntheticTrial()
        let before = (0..<100).map { step in
            Sample(
                timeNanoseconds: 900_000_000 + step * 1_000_000, resident: .mebibytes(24), shared: .mebibytes(18))
        }
        let behind = (0..<60).map { step in
            let growth = report.settled.map { $0.memory.resident - .mebibytes(24) } ?? .zero
            return Sample(
                timeNanoseconds: 1_470_000_000 + step * 1_000_000, resident: .mebibytes(24) + growth,
                shared: .mebibytes(18))
        }
        return before + synthetic.samples + behind
    }

    private static func witnessed(_ end: inout ProcessEnd, _ report: TrialReport) {
        end.spawnedNanoseconds = 800_000_000
        end.series.samples = samples(of: report)
    }

    @Test func anHonestReportIsBelieved() throws {
        let trial = try trial { end, report in Self.witnessed(&end, report) }
        #expect(trial.outcome == .completed && trial.doubts.isEmpty, "\(trial.outcome.detail) \(trial.doubts)")
    }

    @Test(arguments: [0, 2_000_000_000, 1_700_000_000_000_000_000])
    func anotherClockIsFound(offset: Int) throws {
        let trial = try trial { end, report in
            // Told of another time than the process lived in.
            end.spawnedNanoseconds = 800_000_000 + (offset == 0 ? 500_000_000 : -offset)
            end.nanoseconds = 700_000_000
            _ = report
        }
        #expect(trial.outcome.kind == .failed)
        #expect(trial.outcome.detail.contains("_ns is ") && trial.outcome.detail.contains("the process"))
    }

    @Test(arguments: [-8, 8])
    func aBaselineThatNoSampleShowsIsFound(mebibytes: Int) throws {
        let trial = try trial { end, report in
            Self.witnessed(&end, report)
            report.baseline?.memory.resident = .mebibytes(24 + mebibytes)
            report.baseline?.memory.anonymous = .mebibytes(6 + max(0, mebibytes))
            report.baseline?.memory.programPages = nil
        }
        #expect(trial.outcome.kind == .failed)
        #expect(trial.outcome.detail.contains(": baseline.memory.resident_bytes is "), "\(trial.outcome.detail)")
    }

    /// On a busy machine the mark is read long after the peak, which then bounds nothing.
    @Test(arguments: [0, 60_000_000_000])
    func aPeakBelowItsBeginningAndItsEndIsTheMistake(gap: Int) throws {
        let asked = ReportWitness.Asked(version: 1, verification: .sha256, fetches: true)
        let trial = try trial(asked: asked) { end, report in
            let last = report.phases.count - 1
            report.phases[last].peak.resident = .kibibytes(4)
            report.phases[last].startShared = .mebibytes(10)
            report.phases[last].end.memory.timeNanoseconds += gap
            report.settled = report.phases[last].end
            report.purged = report.phases[last].end
        }
        #expect(trial.outcome.kind == .failed)
        #expect(
            trial.outcome.detail.contains(#/: phases\[\d\]\.peak\.resident_bytes is /#), "\(trial.outcome.detail)")
    }

    /// The page tables are walked after the sizes are read, while loads that were left may allocate on.
    @Test(arguments: [(0, false), (5_000_000, true)])
    func theProportionalSetMayHaveGrownUntilTheNextPhase(gap: Int, isPossible: Bool) throws {
        let trial = try trial { _, report in
            let memory = report.phases[0].end.memory
            report.phases[1].startNanoseconds = memory.timeNanoseconds + gap
            report.phases[0].end.memory.proportional = memory.resident + .mebibytes(50)
        }
        #expect(trial.isCompleted == isPossible, "\(trial.outcome.detail)")
        #expect(isPossible || trial.outcome.detail.contains(": phases[0].end.memory.proportional_bytes is "))
    }

    @Test func growthThatBeginsWithAFallIsFound() throws {
        let asked = ReportWitness.Asked(version: 1, verification: .sha256, fetches: true)
        let trial = try trial(asked: asked) { _, report in report.baseline?.memory.resident = .mebibytes(120) }
        #expect(trial.outcome.kind == .failed)
        #expect(trial.outcome.detail.contains(": phases[0].peak.resident_bytes is "), "\(trial.outcome.detail)")
    }

    /// The samples are those of the process that was started, and not of a child that does the trial.
    @Test func changesOfAChildAreFound() throws {
        let trial = try trial { end, report in
            Self.witnessed(&end, report)
            end.series.samples = end.series.samples.map {
                Sample(timeNanoseconds: $0.timeNanoseconds, resident: .mebibytes(3), shared: .mebibytes(2))
            }
        }
        #expect(trial.outcome.kind == .failed && trial.outcome.detail.contains("a child"), "\(trial.outcome.detail)")
    }

    /// On a busy machine, a fetch, the wait after it and the release may all happen between two samples.
    @Test(arguments: [(10_000_000, true), (5_000_000, false)])
    func samplesFromBeforeTheQuietDoNotRefuteIt(distance: Int, isBelieved: Bool) throws {
        let trial = try trial { end, report in
            Self.witnessed(&end, report)
            let mark = report.phases[1].end.memory
            let around = [mark.timeNanoseconds - distance, mark.timeNanoseconds + 8_000_000]
            let last = report.phases[3].endNanoseconds
            end.series.samples =
                end.series.samples.filter { $0.timeNanoseconds < 1_000_000_000 }
                + around.map { Sample(timeNanoseconds: $0, resident: .mebibytes(24), shared: .mebibytes(18)) }
                + end.series.samples.filter { $0.timeNanoseconds > last }
        }
        #expect(trial.isCompleted == isBelieved, "\(trial.outcome.detail)")
        #expect(isBelieved || trial.outcome.detail.contains(": phases[1].end.memory.resident_bytes is "))
    }

    @Test func aBodyThatWasNeverSentIsFound() throws {
        let asked = ReportWitness.Asked(version: 1, verification: .sha256, fetches: true, sending: .whole)
        let size = try #require(Asset.hero.byteCount).rawValue
        let sent = [SentBytes(time: 950_000_000, count: size), SentBytes(time: 1_100_000_000, count: size)]
        #expect(try trial(asked: asked, sent: sent).isCompleted)
        for missing in [[], [sent[0]], [SentBytes(time: 1_100_000_000, count: size - 1)]] {
            let trial = try trial(asked: asked, sent: missing)
            #expect(trial.outcome.kind == .failed && trial.outcome.detail.contains(": body.bytes is "))
        }
        var compressed = asked
        compressed.sending = .some
        #expect(try trial(asked: compressed, sent: [SentBytes(time: 1_100_000_000, count: 7)]).isCompleted)
        var cached = asked
        cached.sending = .unknown
        #expect(try trial(asked: cached, sent: []).isCompleted)
    }

    @Test func aPeakFarAboveEverySampleIsDoubted() throws {
        let trial = try trial { end, report in
            Self.witnessed(&end, report)
            report.phases[1].peak.resident = .mebibytes(2048)
        }
        #expect(trial.isCompleted && trial.doubts.contains { $0.contains("hold") }, "\(trial.doubts)")
    }
}

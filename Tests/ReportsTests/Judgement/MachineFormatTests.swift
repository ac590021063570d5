// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import OperatingSystem
import Reports
import TestSupport
import Testing
import Texts

@Suite(.ownThreads)
struct JUnitTests {
    @Test func everyVerdictIsValidAgainstTheSchemaAndEndsAsItShould() throws {
        let text = JUnitRenderer().text(of: SampleJudgement.complete)
        let answer = try Tool.xmllint([text])
        #expect(answer.status == 0, "\(answer.complaint)")
        #expect(try count("//testcase", text) == 11)
        #expect(try count("//failure[@type='regressed']", text) == 1)
        #expect(try count("//failure[@type='over_budget']", text) == 1)
        #expect(try count("//failure", text) == 2)
        #expect(try count("//error", text) == 4)
        #expect(try count("//testsuite[@tests=11 and @failures=2 and @errors=4 and @skipped=0]", text) == 1)
        #expect(
            try count(
                "//testcase[@name='net_peak_growth_bytes']/properties/property[@name='p' and @value='3e-05']", text)
                == 1)
    }

    @Test func aJudgementWithoutAFindingIsASuiteWithAnError() throws {
        let text = JUnitRenderer().text(of: SampleJudgement.judgement(.check, []))
        let answer = try Tool.xmllint([text])
        #expect(answer.status == 0, "\(answer.complaint)")
        #expect(try count("//testsuite[@tests=1 and @errors=1]/testcase/error", text) == 1)
    }

    @Test func anIncomparableCaseIsSkippedIfToleratedElseAnError() throws {
        let judgement = SampleJudgement.judgement(.check, [SampleJudgement.incomparable])
        let tolerant = JUnitRenderer().text(of: judgement.tolerant)
        let answer = try Tool.xmllint([tolerant])
        #expect(answer.status == 0, "\(answer.complaint)")
        #expect(try count("//testsuite[@errors=0 and @skipped=1]/testcase/skipped", tolerant) == 1)
        #expect(try count("//error", JUnitRenderer().text(of: judgement)) == 1)
    }

    @Test(arguments: [" flaky=\"1\"", " name=\"twice\"", ">&<"])
    func theSchemaRefusesWhatIsNoJUnit(addition: String) throws {
        let text = JUnitRenderer().text(of: SampleJudgement.complete)
        let broken = text.replacing("<testcase", with: "<testcase" + addition, maxReplacements: 1)
        #expect(broken != text)
        #expect(try Tool.xmllint([broken]).status != 0)
    }

    @Test func textFromOutsideNeitherBreaksTheDocumentNorIsLost() throws {
        let judgements = HostileText.all.map(HostileText.judgement)
        let drawn = judgements.map { JUnitRenderer().text(of: $0) }
        let answer = try Tool.xmllint(drawn)
        #expect(answer.status == 0, "\(answer.complaint)")
        let program = """
            import xml.etree.ElementTree as tree
            for file in sys.argv[1:]:
                names = {case.get("classname") for case in tree.parse(file).iter("testcase")}
                sys.stdout.buffer.write("\\t".join(names).encode() + b"\\n")
            """
        let names = try Tool.python(program, module: "xml.etree", package: "python3", on: drawn)
        #expect(names.status == 0, "\(names.complaint)")
        let shown = names.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(shown.count == drawn.count)
        for (name, text) in zip(shown, HostileText.all) {
            let expected = text.isEmpty ? "nameless" : Shown.inXML(text)
            #expect(name.elementsEqual(expected.unicodeScalars))
        }
    }

    private func count(_ path: String, _ text: String) throws -> Int? {
        let answer = try Tool.xmllint([text], ["--xpath", "count(\(path))"])
        return Int(answer.text.filter { !$0.isNewline })
    }
}

struct AnnotationTests {
    /// A workflow command as GitHub's runner reads it.
    private struct Command: Equatable {
        let level: String
        let title: String
        let message: String

        init?(parsing line: Substring.UnicodeScalarView) {
            let line = String(line)
            guard let match = line.wholeMatch(of: /::(error|warning|notice) title=([^:,\r\n]*)::([^\r\n]*)/)
            else { return nil }
            level = String(match.output.1)
            title = Self.unescaped(
                String(match.output.2), [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")])
            message = Self.unescaped(String(match.output.3), [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")])
        }

        /// In the order of the runner: the per cent sign last, so that nothing is unescaped twice.
        private static func unescaped(_ text: String, _ codes: [(String, String)]) -> String {
            codes.reduce(text) { $0.replacing($1.0, with: $1.1) }
        }
    }

    private func commands(_ judgement: Judgement, tolerant: Bool = false) throws -> [Command] {
        let text = AnnotationRenderer().text(of: tolerant ? judgement.tolerant : judgement)
        return try text.unicodeScalars.split(separator: "\n").map { try #require(Command(parsing: $0)) }
    }

    @Test func redIsAnErrorADoubtAWarningAnImprovementANotice() throws {
        let levels = try commands(SampleJudgement.complete).map(\.level)
        #expect(levels == Array(repeating: "error", count: 6) + ["warning", "warning", "notice"])
    }

    @Test func theMessageIsTheRedLineAndTheCommand() throws {
        let first = try #require(
            try commands(SampleJudgement.judgement(.interleaved, [SampleJudgement.regressed])).first)
        #expect(first.title == "regressed: hero/download/imageview/jemalloc")
        #expect(
            first.message
                == "download · hero · imageview · jemalloc: net peak growth +4.1 MiB (+2.5 % of the net peak, 99 % CI +3.8 … +4.4), "
                + "limit 1.7 MiB, p = 0.00003, confirmed on 30 fresh pairs; fetch path, phase fetch\nreproduce: fetchbench compare "
                + "--mode download --render imageview --allocator jemalloc --seed 7")
    }

    @Test func aJudgementWithoutAFindingIsAnError() throws {
        #expect(try commands(SampleJudgement.judgement(.check, [])).first?.level == "error")
    }

    @Test func anIncomparableCaseIsAWarningIfTolerated() throws {
        let judgement = SampleJudgement.judgement(.check, [SampleJudgement.incomparable])
        #expect(try commands(judgement, tolerant: true).allSatisfy { $0.level == "warning" })
        #expect(try commands(judgement).first?.level == "error")
    }

    @Test func theWorstAreKeptOfMoreThanGitHubShows() throws {
        var inconclusive = Array(repeating: SampleJudgement.inconclusive, count: 14)
        inconclusive.append(SampleJudgement.regressed)
        let errors = try commands(SampleJudgement.judgement(.interleaved, inconclusive)).filter { $0.level == "error" }
        #expect(errors.count == 10)
        #expect(errors.first?.title.hasPrefix("regressed") == true)
        #expect(errors.last?.title == "6 more")
    }

    @Test(arguments: HostileText.all) func textFromOutsideIsNoCommandOfItsOwnAndArrivesWhole(text: String) throws {
        var finding = SampleJudgement.regressed
        finding.cell = text
        finding.reproduce = text
        let commands = try commands(SampleJudgement.judgement(.interleaved, [finding]))
        #expect(commands.map(\.level) == ["error", "warning", "warning"])
        #expect(commands.first?.title == "regressed: \(Shown.inLog(text))")
        #expect(commands.first?.message.hasSuffix("\nreproduce: \(Shown.inLog(text))") == true)
        let all = try self.commands(HostileText.judgement(text))
        #expect(all.count == 9 + 1 + 2)
    }
}

@Suite(.ownThreads)
struct OpenMetricsTests {
    private struct Sample: Decodable {
        let name: String
        let type: String
        let unit: String
        let labels: [String: String]
        let value: Double
    }

    private func samples(_ text: String) throws -> [Sample] {
        try samples([text]).flatMap(\.self)
    }

    /// Reads texts with the parser of Prometheus' own client, which refuses what the specification does not allow.
    private func samples(_ texts: [String]) throws -> [[Sample]] {
        let program = """
            import json
            from prometheus_client.openmetrics import parser
            def samples(file):
                text = open(file, encoding="utf-8", newline="\\n").read()
                return [
                    {"name": sample.name, "type": family.type, "unit": family.unit, "labels": sample.labels,
                     "value": sample.value}
                    for family in parser.text_string_to_metric_families(text) for sample in family.samples]
            print(json.dumps([samples(file) for file in sys.argv[1:]]))
            """
        let answer = try Tool.python(
            program, module: "prometheus_client", package: "python3-prometheus-client", on: texts)
        #expect(answer.status == 0, "\(answer.complaint)")
        return try JSONDecoder().decode([[Sample]].self, from: Data(answer.output))
    }

    @Test func theReferenceParserReadsTheFiguresThatTheFindingsHave() throws {
        let samples = try samples(OpenMetricsRenderer().text(of: SampleJudgement.complete))
        #expect(samples.allSatisfy { $0.type == "gauge" })
        let regressed = samples.filter {
            $0.labels["case"] == "hero/download/imageview/jemalloc" && $0.labels["metric"] == "net_peak_growth_bytes"
        }
        let base = regressed.first { $0.name == "fetchbench_median_bytes" && $0.labels["side"] == "base" }
        #expect(base?.value == 171_966_464)
        #expect(base?.unit == "bytes")
        #expect(regressed.first { $0.name == "fetchbench_effect_ratio" }?.value == 0.025)
        #expect(regressed.first { $0.name == "fetchbench_p_value" }?.value == 0.00003)
        let states = regressed.filter { $0.name == "fetchbench_verdict" }
        #expect(states.count == Finding.Verdict.allCases.count)
        #expect(states.filter { $0.value == 1 }.map { $0.labels["verdict"] } == ["regressed"])
        let budget = samples.first { $0.name == "fetchbench_budget_limit_bytes" }
        #expect(budget?.labels["budget"] == "hero/data/*/glibc: peak <= 2.2 * size")
        #expect(samples.first { $0.name == "fetchbench_answer" }?.value == 1)
    }

    @Test func durationsAreSeconds() throws {
        let samples = try samples(OpenMetricsRenderer().text(of: SampleJudgement.complete))
        let durations = samples.filter { $0.name == "fetchbench_median_seconds" }.map(\.value)
        #expect(durations.count == 2)
        #expect(zip(durations, [0.2185, 0.2207]).allSatisfy { abs($0 - $1) < 1e-12 })
    }

    @Test func twoFindingsWithTheSameLabelsMakeOneSetOfSamples() throws {
        var improved = SampleJudgement.regressed
        improved.verdict = .improved
        let judgement = SampleJudgement.judgement(.interleaved, [improved, SampleJudgement.regressed])
        let samples = try samples(OpenMetricsRenderer().text(of: judgement))
        let states = samples.filter { $0.name == "fetchbench_verdict" && $0.value == 1 }
        #expect(states.map { $0.labels["verdict"] } == ["regressed"])
    }

    @Test func theParserRefusesWhatIsNoOpenMetrics() throws {
        let text = OpenMetricsRenderer().text(of: SampleJudgement.complete)
        for broken in [
            String(text.dropLast("# EOF\n".count)), text.replacing("_bytes bytes\n", with: "_bytes seconds\n"),
            text.replacing("case=\"", with: "case=\"\"\""),
        ] {
            #expect(broken != text)
            let answer = try Tool.python(
                "from prometheus_client.openmetrics import parser\n"
                    + "list(parser.text_string_to_metric_families(open(sys.argv[1]).read()))",
                module: "prometheus_client", package: "python3-prometheus-client", on: [broken])
            #expect(answer.status == 1)
            #expect(answer.complaint.contains("ValueError"))
        }
    }

    @Test func anEmptyJudgementIsAnExpositionToo() throws {
        let samples = try samples(OpenMetricsRenderer().text(of: SampleJudgement.judgement(.check, [])))
        #expect(samples.map(\.value) == [2])
    }

    @Test func textFromOutsideIsALabelAndNothingElse() throws {
        let exposed = (["tame"] + HostileText.all).map { OpenMetricsRenderer().text(of: HostileText.judgement($0)) }
        let all = try samples(exposed)
        #expect(all.count == HostileText.all.count + 1)
        for (samples, text) in zip(all.dropFirst(), HostileText.all) {
            #expect(samples.map(\.name) == all.first?.map(\.name))
            // A line break is the one control character that the format can hold.
            let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            let shown = lines.map { SafeText.forTerminal(String($0)) }.joined(separator: "\n")
            let cases = samples.compactMap { $0.labels["case"] }
            #expect(cases.count == samples.count - 1)
            #expect(cases.allSatisfy { $0.unicodeScalars.elementsEqual(shown.unicodeScalars) })
        }
    }
}

/// Figures for services that draw them over time.
struct ServiceTests {
    private struct Measure: Decodable {
        let value: Double
        let lower: Double?
        let upper: Double?

        private enum CodingKeys: String, CodingKey {
            case value
            case lower = "lower_value"
            case upper = "upper_value"
        }
    }

    private struct Entry: Decodable {
        let name: String
        let unit: String
        let value: Double
        let range: String?
        let extra: String
    }

    private func bencher(_ judgement: Judgement) throws -> [String: [String: Measure]] {
        try JSONDecoder().decode(
            [String: [String: Measure]].self, from: Data(BencherRenderer().text(of: judgement).utf8))
    }

    private func smallerIsBetter(_ judgement: Judgement) throws -> [Entry] {
        try JSONDecoder().decode([Entry].self, from: Data(SmallerIsBetterRenderer().text(of: judgement).utf8))
    }

    @Test func bencherGetsTheHeadsMedianBetweenTheEndsOfItsInterval() throws {
        let judgement = SampleJudgement.judgement(.interleaved, [SampleJudgement.regressed])
        let cases = try bencher(judgement)
        let measure = try #require(cases["hero/download/imageview/jemalloc"]?["net_peak_growth_bytes"])
        #expect(abs(measure.value - 168.1 * 1_048_576) < 1)
        #expect(abs(try #require(measure.lower) - 167.8 * 1_048_576) < 1)
        #expect(abs(try #require(measure.upper) - 168.4 * 1_048_576) < 1)
    }

    @Test func theMedianIsNeverOutsideOfItsBoundsWhereverTheEffectLies() throws {
        var finding = SampleJudgement.regressed
        finding.head = 200 * 1_048_576
        let measure = try bencher(SampleJudgement.judgement(.interleaved, [finding]))[finding.cell]?[finding.metric]
        #expect(measure?.upper == measure?.value)
        #expect(abs(try #require(measure?.lower) - 167.8 * 1_048_576) < 1)
    }

    @Test func githubActionBenchmarkGetsOneEntryForEachCaseAndMetric() throws {
        let entries = try smallerIsBetter(SampleJudgement.complete)
        #expect(entries.count == 6)
        #expect(Set(entries.map(\.name)).count == 6)
        let entry = try #require(entries.first { $0.extra.hasPrefix("regressed") })
        #expect(entry.name == "hero/download/imageview/jemalloc: net_peak_growth_bytes")
        #expect(entry.unit == "bytes")
        #expect(abs(entry.value - 168.1 * 1_048_576) < 1)
        #expect(entry.range?.contains(" … ") == true)
        #expect(entries.first { $0.unit == "ns" }?.value == 220_700_000)
    }

    @Test func anUnmeasuredCaseAndABudgetHaveNoFigure() throws {
        let judgement = SampleJudgement.judgement(.check, [SampleJudgement.incomparable, SampleJudgement.overBudget])
        #expect(try bencher(judgement).isEmpty)
        #expect(try smallerIsBetter(judgement).isEmpty)
    }

    @Test func withoutAnIntervalThereAreNoBounds() throws {
        var finding = SampleJudgement.regressed
        finding.interval = nil
        let judgement = SampleJudgement.judgement(.check, [finding])
        #expect(try bencher(judgement)[finding.cell]?[finding.metric]?.lower == nil)
        #expect(try smallerIsBetter(judgement).first?.range == nil)
    }

    @Test(arguments: HostileText.all) func textFromOutsideIsANameAndNothingElse(text: String) throws {
        let judgement = HostileText.judgement(text)
        let cases = try bencher(judgement)
        #expect(cases.count == 1)
        let name = try #require(cases.keys.first)
        #expect(name.unicodeScalars.elementsEqual(text.unicodeScalars))
        // One for each verdict of a comparison; the budgets have none.
        let count = Finding.Verdict.allCases.count - 1
        #expect(cases[name]?.count == count)
        #expect(try smallerIsBetter(judgement).count == count)
        for drawn in [BencherRenderer().text(of: judgement), SmallerIsBetterRenderer().text(of: judgement)] {
            for line in drawn.split(separator: "\n") { #expect(SafeText.forTerminal(String(line)) == String(line)) }
        }
    }
}

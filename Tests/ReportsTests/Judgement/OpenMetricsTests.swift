// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import OperatingSystem
import Reports
import TestSupport
import Testing
import Texts

@Suite("the judgement as OpenMetrics", .ownThreads)
struct OpenMetricsTests {
    /// One sample as the reference parser reads it.
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

    @Test("the reference parser reads the figures that the findings have")
    func figures() throws {
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

    @Test("durations are seconds")
    func seconds() throws {
        let samples = try samples(OpenMetricsRenderer().text(of: SampleJudgement.complete))
        let durations = samples.filter { $0.name == "fetchbench_median_seconds" }.map(\.value)
        #expect(durations.count == 2)
        #expect(zip(durations, [0.2185, 0.2207]).allSatisfy { abs($0 - $1) < 1e-12 })
    }

    @Test("two findings with the same labels make one set of samples, that of the worse")
    func twice() throws {
        var improved = SampleJudgement.regressed
        improved.verdict = .improved
        let judgement = SampleJudgement.judgement(.interleaved, [improved, SampleJudgement.regressed])
        let samples = try samples(OpenMetricsRenderer().text(of: judgement))
        let states = samples.filter { $0.name == "fetchbench_verdict" && $0.value == 1 }
        #expect(states.map { $0.labels["verdict"] } == ["regressed"])
    }

    @Test("the parser refuses what is no OpenMetrics")
    func refusal() throws {
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

    @Test("an empty judgement is an exposition too")
    func nothing() throws {
        let samples = try samples(OpenMetricsRenderer().text(of: SampleJudgement.judgement(.check, [])))
        #expect(samples.map(\.value) == [2])
    }

    @Test("text from outside is a label, and nothing else")
    func hostile() throws {
        let exposed = (["tame"] + Hostile.texts).map { OpenMetricsRenderer().text(of: Hostile.judgement($0)) }
        let all = try samples(exposed)
        #expect(all.count == Hostile.texts.count + 1)
        for (samples, text) in zip(all.dropFirst(), Hostile.texts) {
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

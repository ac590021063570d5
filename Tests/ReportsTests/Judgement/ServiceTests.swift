// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import OperatingSystem
import Reports
import Testing
import Texts

@Suite("the figures for services that draw them over time")
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

    @Test("Bencher gets the head's median between the ends of its interval")
    func bounds() throws {
        let judgement = SampleJudgement.judgement(.interleaved, [SampleJudgement.regressed])
        let cases = try bencher(judgement)
        let measure = try #require(cases["hero/download/imageview/jemalloc"]?["net_peak_growth_bytes"])
        #expect(abs(measure.value - 168.1 * 1_048_576) < 1)
        #expect(abs(try #require(measure.lower) - 167.8 * 1_048_576) < 1)
        #expect(abs(try #require(measure.upper) - 168.4 * 1_048_576) < 1)
    }

    @Test("the median is never outside of its bounds, wherever the effect lies")
    func outside() throws {
        var finding = SampleJudgement.regressed
        finding.head = 200 * 1_048_576
        let measure = try bencher(SampleJudgement.judgement(.interleaved, [finding]))[finding.cell]?[finding.metric]
        #expect(measure?.upper == measure?.value)
        #expect(abs(try #require(measure?.lower) - 167.8 * 1_048_576) < 1)
    }

    @Test("github-action-benchmark gets one entry for each case and metric, with what was found")
    func entries() throws {
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

    @Test("what was not measured, and what a budget measured, has no figure")
    func absent() throws {
        let judgement = SampleJudgement.judgement(
            .check, [SampleJudgement.incomparable, SampleJudgement.overBudget])
        #expect(try bencher(judgement).isEmpty)
        #expect(try smallerIsBetter(judgement).isEmpty)
    }

    @Test("without an interval there are no bounds")
    func unbounded() throws {
        var finding = SampleJudgement.regressed
        finding.interval = nil
        let judgement = SampleJudgement.judgement(.check, [finding])
        #expect(try bencher(judgement)[finding.cell]?[finding.metric]?.lower == nil)
        #expect(try smallerIsBetter(judgement).first?.range == nil)
    }

    @Test("text from outside is a name, and nothing else", arguments: Hostile.texts)
    func hostile(text: String) throws {
        let judgement = Hostile.judgement(text)
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

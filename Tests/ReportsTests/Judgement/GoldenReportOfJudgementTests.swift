// SPDX-License-Identifier: Apache-2.0

import Judging
import Reports
import Testing

/// What `make golden` writes is read as a diff; otherwise the texts are only compared.
@Suite("golden judgement")
struct GoldenReportOfJudgementTests {
    @Test("the terminal's tables, red lines and conclusion are as stored")
    func terminal() throws {
        let text = try Formats.judgementTable().text(of: SampleJudgement.complete)
        try Golden.compare(text, with: "judgement.txt")
    }

    @Test("the Markdown for a job summary is as stored, for pairs and for a stored baseline")
    func markdown() throws {
        var judgement = SampleJudgement.complete
        try Golden.compare(Formats.judgementMarkdown.text(of: judgement), with: "judgement.md")
        judgement.kind = .check
        try Golden.compare(Formats.judgementMarkdown.text(of: judgement), with: "judgement-check.md")
    }

    @Test("the JUnit report is as stored")
    func junit() throws {
        try Golden.compare(JUnitRenderer().text(of: SampleJudgement.complete), with: "junit.xml")
    }

    @Test("the annotations are as stored")
    func annotations() throws {
        try Golden.compare(AnnotationRenderer().text(of: SampleJudgement.complete), with: "annotations.txt")
    }

    @Test("the JSON is as stored")
    func json() throws {
        try Golden.compare(JudgementJSONRenderer().text(of: SampleJudgement.complete), with: "judgement.json")
    }

    @Test("the figures for Bencher and for github-action-benchmark are as stored")
    func services() throws {
        try Golden.compare(BencherRenderer().text(of: SampleJudgement.complete), with: "bencher.json")
        try Golden.compare(
            SmallerIsBetterRenderer().text(of: SampleJudgement.complete), with: "smaller-is-better.json")
    }

    @Test("the OpenMetrics text is as stored")
    func openMetrics() throws {
        try Golden.compare(OpenMetricsRenderer().text(of: SampleJudgement.complete), with: "openmetrics.txt")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import OperatingSystem
import Reports
import TestSupport
import Testing
import Texts

@Suite("the judgement as JSON", .ownThreads)
struct JSONTests {
    @Test("it is valid against the published schema, and decodes as what it was")
    func valid() throws {
        var judgement = SampleJudgement.complete
        judgement.findings.append(SampleJudgement.leaking)
        let text = JudgementJSONRenderer().text(of: judgement)
        #expect(try complaints(about: text) == [])
        #expect(try JSONDecoder().decode(Judgement.self, from: Data(text.utf8)) == judgement)
    }

    @Test("a plain command's finding is valid, and tells of the command")
    func plain() throws {
        let judgement = SampleJudgement.judgement(.interleaved, [SampleJudgement.plain(.regressed)])
        let text = JudgementJSONRenderer().text(of: judgement)
        #expect(try complaints(about: text) == [])
        #expect(try JSONDecoder().decode(Judgement.self, from: Data(text.utf8)) == judgement)
        #expect(text.contains("\"part\" : \"command\""))
        #expect(!text.contains("\"phase\""))
    }

    @Test("every kind is valid, and so is a judgement without a finding")
    func kinds() throws {
        for kind in [Judgement.Kind.check, .storedRuns, .interleaved, .calibration] {
            let text = JudgementJSONRenderer().text(of: SampleJudgement.judgement(kind, []))
            #expect(try complaints(about: text) == [])
            #expect(text.contains("\"answer\" : \"none\""))
        }
    }

    @Test(
        "the answer is that of the exit status",
        arguments: [(Finding.Verdict.regressed, "red"), (.incomparable, "none"), (.improved, "within")])
    func answer(verdict: Finding.Verdict, word: String) {
        var finding = SampleJudgement.regressed
        finding.verdict = verdict
        let judgement = SampleJudgement.judgement(.check, [finding])
        #expect(JudgementJSONRenderer().text(of: judgement).contains("\"answer\" : \"\(word)\""))
        let tolerant = JudgementJSONRenderer().text(of: judgement.tolerant)
        #expect(tolerant.contains("\"answer\" : \"\(word == "none" ? "within" : word)\""))
    }

    @Test(
        "the schema refuses what is no judgement",
        arguments: [
            ("\"answer\" : \"red\"", "\"answer\" : \"maybe\""), ("\"schema\" : 2", "\"schema\" : 3"),
            ("\"kind\" : ", "\"sort\" : "), ("\"verdict\" : \"missing\"", "\"verdict\" : \"lost\""),
            ("\"confirmed\" : true", "\"confirmed\" : true, \"sure\" : true"), ("\"p\" : 0.62", "\"p\" : 1.62"),
            ("\"interval\" : [", "\"interval\" : [ 0,"), ("\"base_trials\" : 12,", ""),
            ("\"budget\" : \"hero/", "\"reproduce\" : \"hero/"), ("\"processors\" : 2", "\"processors\" : \"2\""),
            ("\"version\" : \"2.36\"", "\"path\" : \"2.36\""), ("\"text\" : \"swap", "\"words\" : \"swap"),
        ])
    func refusal(part: String, other: String) throws {
        let text = JudgementJSONRenderer().text(of: SampleJudgement.complete)
        let broken = text.replacing(part, with: other, maxReplacements: 1)
        #expect(broken != text, "the sample has no \(part)")
        #expect(try complaints(about: broken) != [])
    }

    @Test("figures that are no numbers are left out of every format", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(figure: Double) throws {
        var finding = SampleJudgement.regressed
        (finding.base, finding.head, finding.effect, finding.p, finding.limit) = (
            figure, figure, figure, figure, figure
        )
        finding.smallestDetectableChange = figure
        finding.interval = -Double.infinity...0.1
        let judgement = SampleJudgement.judgement(.interleaved, [finding])
        let text = JudgementJSONRenderer().text(of: judgement)
        #expect(try complaints(about: text) == [])
        #expect(try JSONDecoder().decode(Judgement.self, from: Data(text.utf8)).findings.first?.base == nil)
        let others = [
            try Formats.judgementTable().text(of: judgement), (try Formats.judgementMarkdown.text(of: judgement)),
            JUnitRenderer().text(of: judgement), AnnotationRenderer().text(of: judgement),
            BencherRenderer().text(of: judgement), SmallerIsBetterRenderer().text(of: judgement),
            OpenMetricsRenderer().text(of: judgement),
        ]
        for other in others + [text] {
            #expect(other.firstMatch(of: /\b(nan|inf|infinity)\b/.ignoresCase()) == nil)
        }
    }

    @Test("text from outside is valid against the schema wherever it stands")
    func hostileIsValid() throws {
        let drawn = Hostile.texts.map { JudgementJSONRenderer().text(of: Hostile.judgement($0)) }
        #expect(try complaints(about: drawn) == [])
    }

    @Test("text from outside arrives as it was, and harmless to a terminal", arguments: Hostile.texts)
    func hostile(text: String) throws {
        let judgement = Hostile.judgement(text)
        let drawn = JudgementJSONRenderer().text(of: judgement)
        let decoded = try JSONDecoder().decode(Judgement.self, from: Data(drawn.utf8))
        #expect(decoded == judgement)
        // Equal strings may differ in their scalars.
        #expect(decoded.baseName.unicodeScalars.elementsEqual(text.unicodeScalars))
        for line in drawn.split(separator: "\n") { #expect(SafeText.forTerminal(String(line)) == String(line)) }
    }

    private func complaints(about text: String) throws -> [String] {
        try complaints(about: [text])
    }

    /// Returns the schema's complaints about documents, one per line.
    private func complaints(about texts: [String]) throws -> [String] {
        let schema = TestFolder.project.appending(path: "docs/judgement.schema.json")
        let program = """
            import json
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
            for file in sys.argv[2:]:
                for error in validator.iter_errors(json.load(open(file, encoding="utf-8"))):
                    print("/".join(map(str, error.absolute_path)), ascii(error.message))
            """
        let answer = try Tool.python(
            program, module: "jsonschema", package: "python3-jsonschema", [schema.path], on: texts)
        #expect(answer.status == 0, "\(answer.complaint)")
        return answer.text.split(separator: "\n").map(String.init)
    }
}

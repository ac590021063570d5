// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import OperatingSystem
import Reports
import TestSupport
import Testing
import Texts

@Suite(.ownThreads)
struct JSONTests {
    @Test func itIsValidAgainstThePublishedSchemaAndDecodesAsWhatItWas() throws {
        var judgement = SampleJudgement.complete
        judgement.findings.append(SampleJudgement.leaking)
        let text = JudgementJSONRenderer().text(of: judgement)
        #expect(try complaints(about: text) == [])
        #expect(try JSONDecoder().decode(Judgement.self, from: Data(text.utf8)) == judgement)
    }

    @Test func aPlainCommandsFindingIsValidAndTellsOfTheCommand() throws {
        let judgement = SampleJudgement.judgement(.interleaved, [SampleJudgement.plain(.regressed)])
        let text = JudgementJSONRenderer().text(of: judgement)
        #expect(try complaints(about: text) == [])
        #expect(try JSONDecoder().decode(Judgement.self, from: Data(text.utf8)) == judgement)
        #expect(text.contains("\"part\" : \"command\""))
        #expect(!text.contains("\"phase\""))
    }

    @Test func everyKindIsValidAndSoIsAJudgementWithoutAFinding() throws {
        for kind in [Judgement.Kind.check, .storedRuns, .interleaved, .calibration] {
            let text = JudgementJSONRenderer().text(of: SampleJudgement.judgement(kind, []))
            #expect(try complaints(about: text) == [])
            #expect(text.contains("\"answer\" : \"none\""))
        }
    }

    @Test(arguments: [(Finding.Verdict.regressed, "red"), (.incomparable, "none"), (.improved, "within")])
    func theAnswerIsThatOfTheExitStatus(verdict: Finding.Verdict, word: String) {
        var finding = SampleJudgement.regressed
        finding.verdict = verdict
        let judgement = SampleJudgement.judgement(.check, [finding])
        #expect(JudgementJSONRenderer().text(of: judgement).contains("\"answer\" : \"\(word)\""))
        let tolerant = JudgementJSONRenderer().text(of: judgement.tolerant)
        #expect(tolerant.contains("\"answer\" : \"\(word == "none" ? "within" : word)\""))
    }

    @Test(arguments: [
        ("\"answer\" : \"red\"", "\"answer\" : \"maybe\""), ("\"schema\" : 2", "\"schema\" : 3"),
        ("\"kind\" : ", "\"sort\" : "), ("\"verdict\" : \"missing\"", "\"verdict\" : \"lost\""),
        ("\"confirmed\" : true", "\"confirmed\" : true, \"sure\" : true"), ("\"p\" : 0.62", "\"p\" : 1.62"),
        ("\"interval\" : [", "\"interval\" : [ 0,"), ("\"base_trials\" : 12,", ""),
        ("\"budget\" : \"hero/", "\"reproduce\" : \"hero/"), ("\"processors\" : 2", "\"processors\" : \"2\""),
        ("\"version\" : \"2.36\"", "\"path\" : \"2.36\""), ("\"text\" : \"swap", "\"words\" : \"swap"),
    ])
    func theSchemaRefusesWhatIsNoJudgement(part: String, other: String) throws {
        let text = JudgementJSONRenderer().text(of: SampleJudgement.complete)
        let broken = text.replacing(part, with: other, maxReplacements: 1)
        #expect(broken != text, "the sample has no \(part)")
        #expect(try complaints(about: broken) != [])
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func figuresThatAreNoNumbersAreLeftOutOfEveryFormat(figure: Double) throws {
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

    @Test func textFromOutsideIsValidAgainstTheSchemaWhereverItStands() throws {
        let drawn = HostileText.all.map { JudgementJSONRenderer().text(of: HostileText.judgement($0)) }
        #expect(try complaints(about: drawn) == [])
    }

    @Test(arguments: HostileText.all) func textFromOutsideArrivesAsItWasAndHarmlessToATerminal(text: String) throws {
        let judgement = HostileText.judgement(text)
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

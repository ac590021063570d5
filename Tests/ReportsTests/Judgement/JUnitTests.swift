// SPDX-License-Identifier: Apache-2.0

import Judging
import Reports
import TestSupport
import Testing

@Suite("the judgement as JUnit XML", .ownThreads)
struct JUnitTests {
    @Test("every verdict is valid against the schema, and ends as it should")
    func valid() throws {
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

    @Test("a judgement without a finding is a suite with an error, never one without a test")
    func nothing() throws {
        let text = JUnitRenderer().text(of: SampleJudgement.judgement(.check, []))
        let answer = try Tool.xmllint([text])
        #expect(answer.status == 0, "\(answer.complaint)")
        #expect(try count("//testsuite[@tests=1 and @errors=1]/testcase/error", text) == 1)
    }

    @Test("what is incomparable is skipped where it is tolerated, else an error")
    func tolerance() throws {
        let judgement = SampleJudgement.judgement(.check, [SampleJudgement.incomparable])
        let tolerant = JUnitRenderer().text(of: judgement.tolerant)
        let answer = try Tool.xmllint([tolerant])
        #expect(answer.status == 0, "\(answer.complaint)")
        #expect(try count("//testsuite[@errors=0 and @skipped=1]/testcase/skipped", tolerant) == 1)
        #expect(try count("//error", JUnitRenderer().text(of: judgement)) == 1)
    }

    @Test("the schema refuses what is no JUnit", arguments: [" flaky=\"1\"", " name=\"twice\"", ">&<"])
    func refusal(addition: String) throws {
        let text = JUnitRenderer().text(of: SampleJudgement.complete)
        let broken = text.replacing("<testcase", with: "<testcase" + addition, maxReplacements: 1)
        #expect(broken != text)
        #expect(try Tool.xmllint([broken]).status != 0)
    }

    @Test("text from outside neither breaks the document nor is lost")
    func hostile() throws {
        let judgements = Hostile.texts.map(Hostile.judgement)
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
        for (name, text) in zip(shown, Hostile.texts) {
            let expected = text.isEmpty ? "nameless" : Shown.inXML(text)
            #expect(name.elementsEqual(expected.unicodeScalars))
        }
    }

    private func count(_ path: String, _ text: String) throws -> Int? {
        let answer = try Tool.xmllint([text], ["--xpath", "count(\(path))"])
        return Int(answer.text.filter { !$0.isNewline })
    }
}

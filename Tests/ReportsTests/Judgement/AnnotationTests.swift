// SPDX-License-Identifier: Apache-2.0

import Judging
import Reports
import Testing

@Suite("the judgement as annotations")
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

    @Test("what is red or open is an error, a doubt a warning, an improvement a notice")
    func levels() throws {
        let levels = try commands(SampleJudgement.complete).map(\.level)
        #expect(levels == Array(repeating: "error", count: 6) + ["warning", "warning", "notice"])
    }

    @Test("the message is the red line and the command")
    func message() throws {
        let first = try #require(
            try commands(SampleJudgement.judgement(.interleaved, [SampleJudgement.regressed])).first)
        #expect(first.title == "regressed: hero/download/imageview/jemalloc")
        #expect(
            first.message
                == "download · hero · imageview · jemalloc: net peak growth +4.1 MiB (+2.5 % of the net peak, 99 % CI +3.8 … +4.4), "
                + "limit 1.7 MiB, p = 0.00003, confirmed on 30 fresh pairs; fetch path, phase fetch\nreproduce: fetchbench compare "
                + "--mode download --render imageview --allocator jemalloc --seed 7")
    }

    @Test("a judgement without a finding is an error")
    func nothing() throws {
        #expect(try commands(SampleJudgement.judgement(.check, [])).first?.level == "error")
    }

    @Test("what is incomparable is a warning where it is tolerated")
    func tolerance() throws {
        let judgement = SampleJudgement.judgement(.check, [SampleJudgement.incomparable])
        #expect(try commands(judgement, tolerant: true).allSatisfy { $0.level == "warning" })
        #expect(try commands(judgement).first?.level == "error")
    }

    @Test("of more than GitHub shows the worst are kept, and the last one counts the others")
    func crowd() throws {
        var inconclusive = Array(repeating: SampleJudgement.inconclusive, count: 14)
        inconclusive.append(SampleJudgement.regressed)
        let errors = try commands(SampleJudgement.judgement(.interleaved, inconclusive)).filter { $0.level == "error" }
        #expect(errors.count == 10)
        #expect(errors.first?.title.hasPrefix("regressed") == true)
        #expect(errors.last?.title == "6 more")
    }

    @Test("text from outside is no command of its own, and arrives whole", arguments: Hostile.texts)
    func hostile(text: String) throws {
        var finding = SampleJudgement.regressed
        finding.cell = text
        finding.reproduce = text
        let commands = try commands(SampleJudgement.judgement(.interleaved, [finding]))
        #expect(commands.map(\.level) == ["error", "warning", "warning"])
        #expect(commands.first?.title == "regressed: \(Shown.inLog(text))")
        #expect(commands.first?.message.hasSuffix("\nreproduce: \(Shown.inLog(text))") == true)
        let all = try self.commands(Hostile.judgement(text))
        #expect(all.count == 9 + 1 + 2)
    }
}

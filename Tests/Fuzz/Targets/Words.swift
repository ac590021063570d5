// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import Origin
import Runs
import Scenarios

extension FuzzTarget {
    static let suites = FuzzTarget(name: "suite", summary: "suites in YAML") { bytes, draws in
        let text = String(decoding: bytes, as: UTF8.self)
        let suite = try SuiteFile(parsing: text, fileName: "suite.yml")
        if draws, let noise = suite.noise {
            _ = try? SuiteFile(parsing: noise.written(into: text), fileName: "suite.yml")
        }
        var words = PlanWords()
        words.suite = suite
        _ = try PlanRequest(words, try FuzzContext.programs.get())
    }

    /// The scenarios that this project's programs declare.
    private static let metrics = MetricCatalog(
        CommonScenarios.all(with: ScenarioCatalog.all).map(ScenarioDeclaration.init))

    /// A limit as a suite has it.
    static let budgets = FuzzTarget(name: "budget", summary: "formulas of budgets", drawingInterval: 8) {
        bytes, draws in
        let text = String(decoding: bytes, as: UTF8.self)
        let budget: Budget
        do {
            budget = try Budget(parsing: text, of: metrics)
        } catch {
            let column = "\(error)".matches(of: #/, column (\d+): /#).last.flatMap { Int($0.1) } ?? 0
            let columns = 1...text.unicodeScalars.count + 1
            try promise(columns.contains(column), "an error outside of the text: \(error)")
            throw error
        }
        guard draws else { return }
        for finding in BudgetJudge.findings(for: [budget], in: try FuzzContext.run.get()) {
            if case .unanswerable = finding.outcome { continue }
            try promise(
                finding.measured?.isFinite == true && finding.limit?.isFinite == true, "judged without figures")
        }
    }

    /// Single arguments, each of them given to every reader.
    static let words = FuzzTarget(name: "word", summary: "sizes, rates, times, views, commands, URLs") { bytes, draws in
        let text = String(decoding: bytes, as: UTF8.self)
        try Printing.check(text)
        // Its patterns take a millisecond.
        if draws { _ = RedactedCommand(folders: ["/home/me": "~"]).text(text) }
        let readings = [
            try Printing.survives(ByteCount(parsing: text), text: \.exactText, ByteCount.init(parsing:)),
            try Printing.survives(TransferRate(parsing: text), text: \.text, TransferRate.init(parsing:)),
            try Printing.survives(
                DurationText.nanoseconds(parsing: text), text: DurationText.text(ofNanoseconds:),
                DurationText.nanoseconds(parsing:)),
            try Printing.survives(try? ViewText.settings(parsing: text), text: ViewText.text) {
                try? ViewText.settings(parsing: $0)
            },
            try Printing.survives(PartialState(parsing: text), text: \.text, PartialState.init(parsing:)),
            ContentRange(parsing: text) != nil,
            try Printing.survives(try? CommandParameter(parsing: text), text: \.text) {
                try? CommandParameter(parsing: $0)
            },
            try isCommand(text),
        ]
        guard readings.contains(true) else { throw Refused() }
    }

    private static func isCommand(_ text: String) throws -> Bool {
        guard let command = try? ExternalCommand(parsing: text) else { return false }
        _ = try command.words(url: "http://h/", file: "/f")
        return true
    }

    static let headers = FuzzTarget(name: "header", summary: "--header, its files, --request-method") { bytes, _ in
        let text = String(decoding: bytes, as: UTF8.self)
        if (try? HeaderText.method(parsing: text)) != nil { return }
        let fields = try HeaderText.fields(inFile: text, named: "f")
        for field in fields {
            let isPrintable = (field.name + field.value).utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 9 }
            try promise(isPrintable && !field.value.isEmpty, "a header that no client can send")
            let again = try HeaderText.field(parsing: "\(field.name): \(field.value)", at: "--header 1")
            try promise(again == field, "a header is another one when it is written")
        }
    }
}

private enum Printing {
    static func check(_ text: String) throws(BrokenPromise) {
        let shown = SafeText.forTerminal(text)
        let isHarmless = !shown.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        try promise(isHarmless, "a terminal gets control characters")
        _ = SafeText.forMarkdown(text)
        _ = SafeText.asCode(text)
        _ = LastWords.reason(in: text, limit: 40)
        _ = CSV.line([text, text])
        _ = ShellWord.quoted(text)
        _ = RedactedURL.text(of: text)
    }

    /// Whether there is a value; if so it is the same when it was written and read again.
    static func survives<Value: Equatable>(
        _ value: Value?, text: (Value) -> String, _ parse: (String) -> Value?
    ) throws(BrokenPromise) -> Bool {
        guard let value else { return false }
        try promise(parse(text(value)) == value, "'\(text(value))' is not read as what was written")
        return true
    }
}

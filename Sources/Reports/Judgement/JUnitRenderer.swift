// SPDX-License-Identifier: Apache-2.0

import Charts
package import Judging
package import Runs

/// Renders a judgement as JUnit XML, in the common dialect of Jenkins, GitLab and Surefire.
///
/// Each finding is a test case: red ones are failures, open ones are errors. There are no durations, because findings
/// share trials.
package struct JUnitRenderer: TextRenderer {
    package let name = "junit"
    package let summary = "JUnit XML, one test case for each finding"
    package let file = RunFolder.File?.some(.junit)

    package init() {}

    package func text(of judgement: Judgement) -> String {
        let findings = judgement.findingsWorstFirst
        let ends = findings.map { Ending($0.verdict, isTolerant: judgement.toleratesIncomparable) }
        // A suite without tests would pass.
        let cases = findings.isEmpty ? [nothing] : zip(findings, ends).map { testCase($0, $1, of: judgement.kind) }
        let counted = findings.isEmpty ? [.error] : ends
        let counts = [
            ("tests", cases.count), ("failures", counted.count { $0 == .failure }),
            ("errors", counted.count { $0 == .error }), ("skipped", counted.count { $0 == .skipped }),
        ].map { Self.attribute($0, "\($1)") }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="fetchbench"\(counts)>
              <testsuite name="fetchbench.\(judgement.kind.rawValue)"\(counts)\(timestamp(of: judgement))>
            \(properties(of: judgement))
            \(cases.joined(separator: "\n"))
              </testsuite>
            </testsuites>

            """
    }

    private enum Ending: String {
        case passed, skipped, failure, error

        init(_ verdict: Finding.Verdict, isTolerant: Bool) {
            switch verdict {
            case .regressed, .overBudget: self = .failure
            case .incomparable where isTolerant: self = .skipped
            case .notJudged: self = .skipped
            case .missing, .incomparable, .inconclusive: self = .error
            case .improved, .unchanged: self = .passed
            }
        }
    }

    private var nothing: String {
        """
            <testcase classname="fetchbench" name="findings">
              <error message="nothing was judged" type="missing"/>
            </testcase>
        """
    }

    private func testCase(_ finding: Finding, _ ending: Ending, of kind: Judgement.Kind) -> String {
        let className = Self.attribute("classname", named(finding.cell))
        let name = Self.attribute("name", named(finding.budget ?? finding.metric))
        let line = FindingLine(finding, of: kind)
        let message = Self.attribute("message", line.text)
        let type = Self.attribute("type", finding.verdict.rawValue)
        let body = [line.text, line.command.map { "reproduce: \($0)" }].compactMap(\.self).map(Self.escaped)
        let result =
            switch ending {
            case .passed: ""
            case .skipped: "      <skipped\(message)/>\n"
            case .failure, .error:
                "      <\(ending.rawValue)\(message)\(type)>\(body.joined(separator: "\n"))</\(ending.rawValue)>\n"
            }
        return """
                <testcase\(className)\(name)>
            \(propertyList(figures(of: finding), indent: "      "))
            \(result)    </testcase>
            """
    }

    /// Returns a name that is not empty: readers of the format drop test cases without a name.
    private func named(_ text: String) -> String { text.isEmpty ? "nameless" : text }

    private func figures(of finding: Finding) -> [(String, String)] {
        let all: [(String, String?)] = [
            ("verdict", finding.verdict.rawValue), ("metric", finding.metric), ("unit", finding.unit.rawValue),
            ("base", finding.base.map { "\($0)" }), ("head", finding.head.map { "\($0)" }),
            ("part", finding.part?.rawValue), ("change", finding.change.map { "\($0)" }),
            ("scale", finding.scale.map { "\($0)" }), ("effect", finding.effect.map { "\($0)" }),
            ("interval_lower", finding.interval.map { "\($0.lowerBound)" }),
            ("interval_upper", finding.interval.map { "\($0.upperBound)" }),
            ("p", finding.p.map { "\($0)" }), ("limit", finding.limit.map { "\($0)" }),
            ("base_trials", "\(finding.baseTrials)"), ("head_trials", "\(finding.headTrials)"),
            ("confirmed", "\(finding.isConfirmed)"), ("phase", finding.phase?.rawValue),
            ("smallest_detectable_change", finding.smallestDetectableChange.map { "\($0)" }),
            ("budget", finding.budget), ("reproduce", finding.reproduce),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    private func properties(of judgement: Judgement) -> String {
        let warnings = judgement.warnings.map { ("warning", $0.text) }
        return propertyList(
            [
                ("tool", judgement.tool), ("base", judgement.baseName), ("head", judgement.headName),
                ("seed", "\(judgement.seed)"), ("judged_at", judgement.judgedAt),
                ("answer", judgement.answer.word),
            ] + warnings, indent: "    ")
    }

    private func propertyList(_ properties: [(name: String, value: String)], indent: String) -> String {
        let lines = properties.map { property in
            let value = Self.attribute("value", property.value)
            return "\(indent)  <property\(Self.attribute("name", property.name))\(value)/>\n"
        }
        return "\(indent)<properties>\n\(lines.joined())\(indent)</properties>"
    }

    /// Returns the attribute, or nothing for an invalid time, because the schema restricts its type.
    private func timestamp(of judgement: Judgement) -> String {
        let isTime = judgement.judgedAt.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil
        return isTime ? Self.attribute("timestamp", String(judgement.judgedAt.dropLast())) : ""
    }

    private static func attribute(_ name: String, _ value: String) -> String { " \(name)=\"\(escaped(value))\"" }

    /// Control characters are shown as code, because they would reach the terminal that prints the file.
    private static func escaped(_ text: String) -> String { ChartText.escaped(SafeText.forTerminal(text)) }
}

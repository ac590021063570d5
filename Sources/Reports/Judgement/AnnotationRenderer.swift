// SPDX-License-Identifier: Apache-2.0

package import Judging
import Runs

/// Renders a judgement as workflow commands, which GitHub shows as annotations of the job.
///
/// Red and open verdicts are errors, doubts are warnings, improvements are notices. The escaping is that of
/// `@actions/core` (`escapeData`, `escapeProperty`).
package struct AnnotationRenderer: TextRenderer {
    package let name = "annotations"
    package let summary = "workflow commands of GitHub Actions"

    /// GitHub shows ten annotations of each level for a step and silently drops the others.
    static let shownPerLevel = 10

    package init() {}

    package func text(of judgement: Judgement) -> String {
        let annotations =
            findings(of: judgement)
            + judgement.warnings.map {
                Annotation(level: .warning, title: "doubt", message: SafeText.forTerminal($0.textWithRemedy))
            }
        return Level.allCases.flatMap { level in
            shown(annotations.filter { $0.level == level }, level)
        }.map { $0.command + "\n" }.joined()
    }

    private enum Level: String, CaseIterable {
        case error, warning, notice
    }

    private struct Annotation {
        let level: Level
        let title: String
        let message: String

        var command: String {
            "::\(level.rawValue) title=\(AnnotationRenderer.property(title))::\(AnnotationRenderer.data(message))"
        }
    }

    private func findings(of judgement: Judgement) -> [Annotation] {
        guard !judgement.findings.isEmpty else {
            return [Annotation(level: .error, title: "no answer", message: "nothing was judged")]
        }
        return judgement.findingsWorstFirst.compactMap { finding in
            guard let level = level(of: finding.verdict, judgement.toleratesIncomparable) else { return nil }
            let line = FindingLine(finding, of: judgement.kind)
            let name = SafeText.forTerminal(finding.cell)
            let command = line.command.map { "\nreproduce: \($0)" } ?? ""
            return Annotation(
                level: level, title: "\(finding.words(in: judgement.kind)): \(name)", message: line.text + command)
        }
    }

    private func level(of verdict: Finding.Verdict, _ isTolerant: Bool) -> Level? {
        switch verdict {
        case .regressed, .overBudget, .missing, .inconclusive: .error
        case .incomparable: isTolerant ? .warning : .error
        case .improved: .notice
        case .unchanged, .notJudged: nil
        }
    }

    /// Returns the worst annotations of a level, the last of which counts the others if there are too many.
    private func shown(_ annotations: [Annotation], _ level: Level) -> [Annotation] {
        guard annotations.count > Self.shownPerLevel else { return annotations }
        let first = annotations.prefix(Self.shownPerLevel - 1)
        let rest = annotations.count - first.count
        return first + [Annotation(level: level, title: "\(rest) more", message: "\(rest) more in the job's log")]
    }

    private static func data(_ text: String) -> String { escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A"]) }

    private static func property(_ text: String) -> String {
        escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
    }

    private static func escaped(_ text: String, _ codes: [Unicode.Scalar: String]) -> String {
        text.unicodeScalars.reduce(into: "") { safe, scalar in
            if let code = codes[scalar] { safe += code } else { safe.unicodeScalars.append(scalar) }
        }
    }
}

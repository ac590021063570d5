// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import TestSupport

extension HostileText {
    static func judgement(_ text: String) -> Judgement {
        var judgement = SampleJudgement.judgement(
            .interleaved,
            Finding.Verdict.allCases.flatMap { verdict in
                verdict == .overBudget
                    ? [budgeted(verdict, text)] : [compared(verdict, text), budgeted(verdict, text)]
            })
        judgement.tool = text
        judgement.baseName = text
        judgement.headName = text
        judgement.judgedAt = text
        judgement.warnings = [RunWarning(text, remedy: text)]
        judgement.environment.processor = text
        judgement.environment.kernel = text
        judgement.environment.label = text
        return judgement
    }

    private static func compared(_ verdict: Finding.Verdict, _ text: String) -> Finding {
        var finding = SampleJudgement.regressed
        finding.cell = text
        finding.metric = "\(text)_\(verdict.rawValue)_bytes"
        finding.verdict = verdict
        finding.reason = text
        finding.reproduce = text
        return finding
    }

    private static func budgeted(_ verdict: Finding.Verdict, _ text: String) -> Finding {
        var finding = SampleJudgement.overBudget
        finding.cell = text
        finding.verdict = verdict
        finding.budget = "\(text) \(verdict.rawValue)"
        finding.reason = text
        finding.reproduce = text
        return finding
    }
}

/// The expected escaping of untrusted text, computed scalar by scalar.
enum Shown {
    /// In a log: no control characters, and no command of GitHub's older kind.
    static func inLog(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { shown, scalar in
            if scalar == "[", shown.unicodeScalars.suffix(2).elementsEqual("##".unicodeScalars) {
                shown += "\\u{5b}"
            } else {
                shown += SafeText.forTerminal(String(scalar))
            }
        }
    }

    /// In XML, which has no place for two more.
    static func inXML(_ text: String) -> String {
        inLog(text).replacing("\u{FFFE}", with: "\u{FFFD}").replacing("\u{FFFF}", with: "\u{FFFD}")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs

struct JudgementConclusion: Sendable {
    private let judgement: Judgement

    init(_ judgement: Judgement) {
        self.judgement = judgement
    }

    /// The sentence, such as `Red: 1 regressed, 5 unchanged; moved: fetch path (def5678 against abc1234)`.
    var text: String {
        let head = JudgementText.safe(judgement.headName)
        let base = JudgementText.safe(judgement.baseName)
        return "\(opening): \(counts)\(moved) (\(head) against \(base))."
    }

    private var opening: String {
        switch judgement.answer {
        case .within: "Within limits"
        case .red: "Red"
        case .none: "No answer"
        }
    }

    /// The parts of a program that moved in any case; empty if no two sides were compared.
    private var moved: String {
        let compared = judgement.findings.filter { $0.part != nil && !$0.verdict.isOpen }
        guard !compared.isEmpty else { return "" }
        let parts = JudgedMetric.Part.allCases.filter { part in
            compared.contains { $0.part == part && $0.hasMoved }
        }
        let words = parts.map(\.words).joined(separator: ", ")
        guard parts.isEmpty else { return "; moved: " + words }
        // A plain command has neither fetch path nor start.
        return compared.allSatisfy { $0.part == .command } ? "; nothing moved" : "; moved: neither fetch path nor start"
    }

    private var counts: String {
        let parts = Finding.Verdict.worstFirst.compactMap { verdict -> String? in
            let count = judgement.findings.count { $0.verdict == verdict }
            let remark = verdict == .incomparable && judgement.toleratesIncomparable ? " (tolerated)" : ""
            return count == 0 ? nil : "\(count) \(verdict.words)\(remark)"
        }
        return parts.isEmpty ? "nothing was judged" : parts.joined(separator: ", ")
    }
}

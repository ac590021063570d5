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
        return parts.isEmpty ? "" : "; moved: " + words
    }

    private var counts: String {
        let parts = judgement.findingsWorstFirst.grouped { $0.words(in: judgement.kind) }.map { group in
            let isTolerated = group.elements[0].verdict == .incomparable && judgement.toleratesIncomparable
            return "\(group.elements.count) \(group.key)\(isTolerated ? " (tolerated)" : "")"
        }
        return parts.isEmpty ? "nothing was judged" : parts.joined(separator: ", ")
    }
}

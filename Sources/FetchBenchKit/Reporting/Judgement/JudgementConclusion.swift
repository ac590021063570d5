// SPDX-License-Identifier: Apache-2.0

/// How a judgement ends, in one sentence.
struct JudgementConclusion: Sendable {
    private let judgement: Judgement
    private let isTolerant: Bool

    init(_ judgement: Judgement, toleratingIncomparable: Bool) {
        self.judgement = judgement
        isTolerant = toleratingIncomparable
    }

    /// The answer.
    var answer: Judgement.Answer { judgement.answer(toleratingIncomparable: isTolerant) }

    /// The sentence: `Red: 1 regressed, 5 unchanged (def5678 against abc1234)`.
    var text: String {
        let head = JudgementText.safe(judgement.headName)
        let base = JudgementText.safe(judgement.baseName)
        return "\(opening): \(counts) (\(head) against \(base))."
    }

    private var opening: String {
        switch answer {
        case .within: "Within limits"
        case .red: "Red"
        case .none: "No answer"
        }
    }

    private var counts: String {
        let parts = Finding.Verdict.worstFirst.compactMap { verdict -> String? in
            let count = judgement.findings.count { $0.verdict == verdict }
            let remark = verdict == .incomparable && isTolerant ? " (tolerated)" : ""
            return count == 0 ? nil : "\(count) \(verdict.words)\(remark)"
        }
        return parts.isEmpty ? "nothing was judged" : parts.joined(separator: ", ")
    }
}

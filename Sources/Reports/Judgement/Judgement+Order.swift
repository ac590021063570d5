// SPDX-License-Identifier: Apache-2.0

package import Judging

extension Finding.Verdict {
    /// Every verdict, in the order in which findings are shown.
    package static let worstFirst: [Finding.Verdict] = [
        .overBudget, .regressed, .missing, .incomparable, .inconclusive, .improved, .unchanged,
    ]

    /// The verdict as people read it: `over budget`.
    var words: String {
        self == .overBudget ? "over budget" : rawValue
    }

    /// Whether the verdict alone makes the answer red.
    var isRed: Bool { self == .overBudget || self == .regressed }

    /// Whether the verdict leaves the question open.
    var isOpen: Bool { [.missing, .incomparable, .inconclusive].contains(self) }
}

extension Judgement.Answer {
    /// The answer in one word, as the formats for machines have it.
    var word: String {
        switch self {
        case .within: "within"
        case .red: "red"
        case .none: "none"
        }
    }
}

extension Judgement {
    /// The findings from the worst to the best; those of one verdict by their effect, the largest growth first.
    package var findingsWorstFirst: [Finding] {
        finite.findings.enumerated().sorted { left, right in
            let (first, second) = (left.element.order, right.element.order)
            return (first.rank, first.relief, left.offset) < (second.rank, second.relief, right.offset)
        }.map(\.element)
    }

    /// The same without figures that are no numbers: no format has a place for them, and absent is absent.
    var finite: Judgement {
        var judgement = self
        judgement.findings = findings.map(\.finite)
        return judgement
    }
}

extension Finding {
    /// What the finding is sorted by: its verdict, then how little it grew.
    fileprivate var order: (rank: Int, relief: Double) {
        let rank = Verdict.worstFirst.firstIndex(of: verdict) ?? Verdict.worstFirst.count
        return (rank, -(effect ?? 0))
    }

    /// The finding without figures that are infinite or no number.
    fileprivate var finite: Finding {
        var finding = self
        for figure in [\Finding.base, \.head, \.scale, \.effect, \.p, \.limit, \.smallestDetectableChange] {
            finding[keyPath: figure] = finding[keyPath: figure].flatMap { $0.isFinite ? $0 : nil }
        }
        finding.interval = interval.flatMap { $0.lowerBound.isFinite && $0.upperBound.isFinite ? $0 : nil }
        return finding
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Judging

extension Finding.Verdict {
    /// Every verdict, in the display order of findings.
    package static let worstFirst: [Finding.Verdict] = [
        .overBudget, .regressed, .missing, .incomparable, .inconclusive, .improved, .notJudged, .unchanged,
    ]

    /// The verdict where nothing was compared with a budget or a baseline.
    var words: String {
        switch self {
        case .overBudget: "over budget"
        case .notJudged: "not judged"
        default: rawValue
        }
    }

    /// Indicates whether the verdict alone makes the answer red.
    var isRed: Bool { self == .overBudget || self == .regressed }

    var isOpen: Bool { [.missing, .incomparable, .inconclusive].contains(self) }
}

extension Finding {
    /// The verdict for readers: a budget and a stored baseline are kept to, two builds are compared.
    func words(in kind: Judgement.Kind) -> String {
        switch verdict {
        case .unchanged where budget != nil: "within budget"
        case .unchanged where kind == .check: "within baseline"
        default: verdict.words
        }
    }
}

extension Judgement.Answer {
    /// The answer in machine-readable formats.
    var word: String {
        switch self {
        case .within: "within"
        case .red: "red"
        case .none: "none"
        }
    }
}

extension Judgement {
    /// The findings from worst to best; those of the same verdict by effect, the largest growth first.
    package var findingsWorstFirst: [Finding] {
        finite.findings.enumerated().sorted { left, right in
            let (first, second) = (left.element.order, right.element.order)
            return (first.rank, first.relief, left.offset) < (second.rank, second.relief, right.offset)
        }.map(\.element)
    }

    /// The judgement without infinite figures and NaN, which the formats cannot represent.
    var finite: Judgement {
        var judgement = self
        judgement.findings = findings.map(\.finite)
        return judgement
    }
}

extension Finding {
    /// The sort key: the verdict, then the negated growth.
    fileprivate var order: (rank: Int, relief: Double) {
        let rank = Verdict.worstFirst.firstIndex(of: verdict) ?? Verdict.worstFirst.count
        return (rank, -(effect ?? 0))
    }

    fileprivate var finite: Finding {
        var finding = self
        for figure in [\Finding.base, \.head, \.scale, \.effect, \.p, \.limit, \.smallestDetectableChange] {
            finding[keyPath: figure] = finding[keyPath: figure].flatMap { $0.isFinite ? $0 : nil }
        }
        finding.interval = interval.flatMap { $0.lowerBound.isFinite && $0.upperBound.isFinite ? $0 : nil }
        return finding
    }
}

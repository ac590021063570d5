// SPDX-License-Identifier: Apache-2.0

import Judging
import TrialKit

/// The head's median of one case and metric, for services that plot such figures over time.
///
/// Budgets are excluded, because their value may not be a median but that of the worst trial. Of two findings of the
/// same case and metric the first one counts.
struct HeadFigure: Sendable {
    let finding: Finding
    let value: Double
    /// The base's median plus the interval of the change, extended to include the head's median.
    let bounds: ClosedRange<Double>?

    private init?(_ finding: Finding) {
        guard finding.budget == nil, let head = finding.head else { return nil }
        self.finding = finding
        value = head
        bounds = Self.bounds(of: finding, around: head)
    }

    var isBetterSmaller: Bool { finding.better != .higher }

    /// Returns the figures of a judgement, in the order of its findings.
    static func figures(of judgement: Judgement) -> [HeadFigure] {
        var known: Set<[String]> = []
        return judgement.finite.findings.compactMap(HeadFigure.init).filter { figure in
            known.insert([figure.finding.cell, figure.finding.metric]).inserted
        }
    }

    private static func bounds(of finding: Finding, around head: Double) -> ClosedRange<Double>? {
        guard let base = finding.base, let scale = finding.scale, let interval = finding.interval else { return nil }
        let ends = [base + scale * interval.lowerBound, base + scale * interval.upperBound, head]
        guard ends.allSatisfy(\.isFinite), let low = ends.min(), let high = ends.max() else { return nil }
        return low...high
    }
}

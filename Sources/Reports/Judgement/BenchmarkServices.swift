// SPDX-License-Identifier: Apache-2.0

package import Judging
import Runs

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

/// Renders the head's medians in Bencher's Metric Format.
///
/// Benchmarks are cases and measures are metrics, in base units and with the bounds of the 99 % interval.
package struct BencherRenderer: TextRenderer {
    package let name = "bencher"
    package let summary = "Bencher's Metric Format"

    package init() {}

    package func text(of judgement: Judgement) -> String {
        let cases = HeadFigure.figures(of: judgement).grouped(by: \.finding.cell).map { group in
            let measures = group.elements.map { figure -> (String, JSONValue?) in
                let measure: JSONValue = [
                    "value": .number(figure.value), "lower_value": figure.bounds.map { .number($0.lowerBound) },
                    "upper_value": figure.bounds.map { .number($0.upperBound) },
                ]
                return (figure.finding.metric, measure)
            }
            return (group.key, JSONValue?.some(.object(measures)))
        }
        return JSONText.pretty(JSONValue.object(cases))
    }
}

/// Renders the head's medians for github-action-benchmark (`customSmallerIsBetter`).
package struct SmallerIsBetterRenderer: TextRenderer {
    package let name = "smaller-is-better"
    package let summary = "github-action-benchmark, customSmallerIsBetter"

    package init() {}

    /// Returns the document: an array, which is empty if no head was measured.
    package func text(of judgement: Judgement) -> String {
        JSONText.pretty(
            HeadFigure.figures(of: judgement).filter(\.isBetterSmaller).map { figure -> JSONValue in
                [
                    "name": .text("\(figure.finding.cell): \(figure.finding.metric)"),
                    "unit": .text(figure.finding.unit.rawValue), "value": .number(figure.value),
                    "range": figure.bounds.map { .text("\($0.lowerBound) … \($0.upperBound)") },
                    "extra": .text(FindingLine(figure.finding, of: judgement.kind).textWithVerdict),
                ]
            })
    }
}

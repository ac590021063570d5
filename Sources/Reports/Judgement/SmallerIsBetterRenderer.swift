// SPDX-License-Identifier: Apache-2.0

package import Judging
import Runs
import Texts
import TrialKit

/// Renders the head's medians for github-action-benchmark (`customSmallerIsBetter`).
package struct SmallerIsBetterRenderer: TextRenderer {
    package let name = "smaller-is-better"
    package let summary = "github-action-benchmark, customSmallerIsBetter"

    package init() {}

    /// Returns the document: an array, which is empty if no head was measured.
    package func text(of judgement: Judgement) -> String {
        JSONText.pretty(
            HeadFigure.figures(of: judgement).filter(\.isBetterSmaller).map { figure in
                Entry(
                    name: "\(figure.finding.cell): \(figure.finding.metric)", unit: figure.finding.unit.rawValue,
                    value: figure.value,
                    range: figure.bounds.map { "\($0.lowerBound) … \($0.upperBound)" },
                    extra: FindingLine(figure.finding, of: judgement.kind).textWithVerdict)
            })
    }

    private struct Entry: Encodable {
        let name: String
        let unit: String
        let value: Double
        let range: String?
        let extra: String
    }
}

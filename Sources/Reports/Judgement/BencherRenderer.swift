// SPDX-License-Identifier: Apache-2.0

package import Judging
import Runs
import Texts

/// Renders the head's medians in Bencher's Metric Format.
///
/// Benchmarks are cases and measures are metrics, in base units and with the bounds of the 99 % interval.
package struct BencherRenderer: TextRenderer {
    package let name = "bencher"
    package let summary = "Bencher's Metric Format"

    package init() {}

    /// Returns the document; an empty object if no head was measured.
    package func text(of judgement: Judgement) -> String {
        var cases: [String: [String: Measure]] = [:]
        for figure in HeadFigure.figures(of: judgement) {
            cases[figure.finding.cell, default: [:]][figure.finding.metric] = Measure(
                value: figure.value, lower: figure.bounds?.lowerBound, upper: figure.bounds?.upperBound)
        }
        return JSONText.pretty(cases)
    }

    private struct Measure: Encodable {
        let value: Double
        let lower: Double?
        let upper: Double?

        private enum CodingKeys: String, CodingKey {
            case value
            case lower = "lower_value"
            case upper = "upper_value"
        }
    }
}

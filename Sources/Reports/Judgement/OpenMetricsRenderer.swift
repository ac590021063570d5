// SPDX-License-Identifier: Apache-2.0

package import Judging
import Runs

/// Renders a judgement as OpenMetrics text (1.0), to be scraped or pushed.
///
/// Units are bytes, seconds and ratios, as the specification requires. A finding's verdict is a gauge of 1, others 0.
package struct OpenMetricsRenderer: TextRenderer {
    package let name = "openmetrics"
    package let summary = "OpenMetrics text for Prometheus and its kin"

    package init() {}

    package func text(of judgement: Judgement) -> String {
        let findings = judgement.finite.findings
        let comparisons = findings.filter { $0.budget == nil }
        let families =
            medians(comparisons) + changes(comparisons) + budgets(findings.filter { $0.budget != nil })
            + [verdicts(findings), answer(of: judgement)]
        return families.map(\.text).joined() + "# EOF\n"
    }

    private func medians(_ findings: [Finding]) -> [OpenMetricsFamily] {
        Self.units.map { unit in
            var family = OpenMetricsFamily("median", unit, "Median of the completed trials of one side.")
            for finding in findings where finding.unit == unit {
                family.add(finding.base, labels(of: finding) + [("side", "base")])
                family.add(finding.head, labels(of: finding) + [("side", "head")])
            }
            return family
        }
    }

    private func changes(_ findings: [Finding]) -> [OpenMetricsFamily] {
        var effect = OpenMetricsFamily("effect", .ratio, "Change of the head relative to the base.")
        var bound = OpenMetricsFamily("effect_bound", .ratio, "Ends of the 99 % interval of the change.")
        var smallest = OpenMetricsFamily(
            "smallest_detectable_change", .ratio, "Smallest change that the trials could have detected.")
        var probability = OpenMetricsFamily("p_value", nil, "The p-value that decided.")
        // A scenario's figure is not part of a whole, so its changes are not shares.
        for finding in findings where finding.part != .scenario {
            let labels = labels(of: finding)
            effect.add(finding.effect, labels)
            bound.add(finding.interval?.lowerBound, labels + [("bound", "lower")])
            bound.add(finding.interval?.upperBound, labels + [("bound", "upper")])
            smallest.add(finding.smallestDetectableChange, labels)
            probability.add(finding.p, labels)
        }
        return [effect, bound, smallest, probability]
    }

    private func budgets(_ findings: [Finding]) -> [OpenMetricsFamily] {
        Self.units.flatMap { unit in
            var measured = OpenMetricsFamily("budget_measured", unit, "Measured value of a budget.")
            var limit = OpenMetricsFamily("budget_limit", unit, "Limit of a budget.")
            for finding in findings where finding.unit == unit {
                measured.add(finding.head, labels(of: finding))
                limit.add(finding.limit, labels(of: finding))
            }
            return [measured, limit]
        }
    }

    private func verdicts(_ findings: [Finding]) -> OpenMetricsFamily {
        var family = OpenMetricsFamily("verdict", nil, "The verdict on a case and metric or budget: 1, any other 0.")
        // Of two findings with the same labels only the samples of the worst are added.
        let ranked = Finding.Verdict.worstFirst.flatMap { verdict in findings.filter { $0.verdict == verdict } }
        for finding in ranked {
            for verdict in Finding.Verdict.allCases {
                let value: Double = verdict == finding.verdict ? 1 : 0
                family.add(value, labels(of: finding) + [("verdict", verdict.rawValue)])
            }
        }
        return family
    }

    private func answer(of judgement: Judgement) -> OpenMetricsFamily {
        var family = OpenMetricsFamily("answer", nil, "0 within limits, 1 red, 2 no answer.")
        family.add(
            Double(judgement.answer.rawValue),
            [("base", judgement.baseName), ("head", judgement.headName), ("kind", judgement.kind.rawValue)])
        return family
    }

    private func labels(of finding: Finding) -> [(String, String)] {
        [("case", finding.cell), ("metric", finding.metric)] + (finding.budget.map { [("budget", $0)] } ?? [])
    }

    private static let units: [Metric.Unit] = [.bytes, .nanoseconds, .ratio]

    struct OpenMetricsFamily: Sendable {
        private let name: String
        private let unit: String?
        private let help: String
        private let factor: Double
        private var samples: [String] = []
        private var known: Set<String> = []

        /// Creates a family whose name ends with its unit, if any, as the specification requires.
        init(_ word: String, _ unit: Metric.Unit?, _ help: String) {
            let (suffix, factor): (String?, Double) =
                switch unit {
                case .bytes: ("bytes", 1)
                case .nanoseconds: ("seconds", 1e-9)
                case .ratio: ("ratio", 1)
                case nil: (nil, 1)
                }
            name = "fetchbench_" + word + (suffix.map { "_" + $0 } ?? "")
            self.unit = suffix
            (self.help, self.factor) = (help, factor)
        }

        /// Adds a sample unless the value is absent or there is already a sample with the same labels.
        mutating func add(_ value: Double?, _ labels: [(name: String, value: String)]) {
            guard let value else { return }
            let text = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            guard known.insert(text).inserted else { return }
            samples.append("\(name){\(text)} \(value * factor)\n")
        }

        var text: String {
            guard !samples.isEmpty else { return "" }
            let unit = unit.map { "# UNIT \(name) \($0)\n" } ?? ""
            return "# TYPE \(name) gauge\n\(unit)# HELP \(name) \(help)\n" + samples.joined()
        }

        /// Applies the three escapes of the format, and makes other control characters visible.
        private static func escaped(_ text: String) -> String {
            let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.map { line in
                SafeText.forTerminal(String(line)).unicodeScalars.reduce(into: "") { safe, scalar in
                    if scalar == "\\" || scalar == "\"" { safe += "\\" }
                    safe.unicodeScalars.append(scalar)
                }
            }.joined(separator: "\\n")
        }
    }
}

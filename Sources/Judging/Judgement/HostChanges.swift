// SPDX-License-Identifier: Apache-2.0

import Statistics

package struct HostChanges: Codable, Hashable, Sendable {
    package struct Change: Codable, Hashable, Sendable {
        package var host: String
        /// The median of the base, in the unit of the metric.
        package var base: Double
        package var head: Double
        package var effect: Double
        package var baseTrials: Int
        package var headTrials: Int

        private enum CodingKeys: String, CodingKey {
            case host, base, head, effect
            case baseTrials = "base_trials"
            case headTrials = "head_trials"
        }
    }

    /// The mean change over hosts like these, relative to the finding's whole.
    package struct Mean: Codable, Hashable, Sendable {
        package var effect: Double
        /// The 99 % interval of Hartung and Knapp.
        package var interval: ClosedRange<Double>
        /// The standard deviation of the change between hosts (τ).
        package var deviation: Double
    }

    package var changes: [Change]
    /// The host whose own test decided, as all together did not show the change; otherwise `nil`.
    package var decidedBy: String?
    package var mean: Mean?

    private enum CodingKeys: String, CodingKey {
        case changes, mean
        case decidedBy = "decided_by"
    }

    init?(of values: CaseValues, _ metric: String, _ confirmation: TwoStageJudge.Confirmation) {
        guard let strata = values.values[metric]?.strata, values.hosts.count > 1,
            strata.count == values.hosts.count, confirmation.hostEffects.count == strata.count
        else { return nil }
        changes = zip(zip(values.hosts, strata), confirmation.hostEffects).map { place, effect in
            let (host, stratum) = place
            return Change(
                host: host, base: OrderStatistics.median(stratum.base), head: OrderStatistics.median(stratum.head),
                effect: effect, baseTrials: stratum.base.count, headTrials: stratum.head.count)
        }
        decidedBy = confirmation.decidingHost.map { values.hosts[$0] }
        mean = confirmation.acrossHosts.map { Mean(effect: $0.mean, interval: $0.interval, deviation: $0.deviation) }
    }

    /// True if the change differs between hosts by more than counts as one.
    package func differ(by limit: Double) -> Bool {
        if let mean { return mean.deviation > limit }
        let effects = changes.map(\.effect)
        return (effects.max() ?? 0) - (effects.min() ?? 0) > limit
    }
}

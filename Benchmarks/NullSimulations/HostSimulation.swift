// SPDX-License-Identifier: Apache-2.0

import Statistics

/// Comparisons over simulated hosts, each of which has a floor, a noise and a distribution of its own.
struct HostSimulation {
    /// How the noise of the hosts differs.
    enum Noise: String, CaseIterable {
        /// All hosts have the same.
        case equal
        /// A third, once and three times the usual one, by turns.
        case different
    }

    /// The pairs of all hosts together: two, three and five have as many each.
    static let pairs = 30
    /// The change that has to be seen, relative to the floor.
    static let change = 0.02
    /// The usual standard deviation, relative to the floor: 30 pairs on one host see the change nine times of ten.
    private static let deviation = 0.0195
    private static let shapes: [PagedNoise.Shape] = [.bell, .twoLevels, .fourLevels, .spikes]

    let hosts: Int
    let noise: Noise
    /// The number of figures that are judged together.
    let figures: Int

    static let all = [2, 3, 5].flatMap { hosts in
        Noise.allCases.flatMap { noise in
            [1, 15].map { HostSimulation(hosts: hosts, noise: noise, figures: $0) }
        }
    }

    struct Rates {
        var alarms = 0
        var found = 0
        var foundByOne = 0
    }

    /// Simulates `count` comparisons in which nothing differs, and as many in which one figure has changed.
    func rates(_ count: Int) -> Rates {
        var generator = PagedNoise(seed: UInt64(hosts * 1000 + figures * 10 + (noise == .equal ? 0 : 1)))
        var rates = Rates()
        for number in 0..<count {
            let unchanged = (0..<figures).map { member(number + $0, hosts, by: 0, &generator) }
            if Self.verdicts(unchanged).contains(where: \.isChange) { rates.alarms += 1 }
            let rest = unchanged.dropFirst()
            let changed = member(number, hosts, by: Self.change, &generator)
            if Self.verdicts([changed] + rest)[0] == .regressed { rates.found += 1 }
            // One of these hosts, by turns, with all of the pairs.
            let alone = member(number, 1, by: Self.change, &generator)
            if Self.verdicts([alone] + rest)[0] == .regressed { rates.foundByOne += 1 }
        }
        return rates
    }

    /// The values of one figure on so many hosts.
    private func member(
        _ number: Int, _ hosts: Int, by change: Double, _ generator: inout PagedNoise
    ) -> JudgedFamily.Member {
        let shape = Self.shapes[number % Self.shapes.count]
        let strata = (0..<hosts).map { place in
            let host = hosts == 1 ? number % self.hosts : place
            // The floors of hosts differ by a fifth each; a change of the code takes the same bytes on all.
            let floor = PagedNoise.usual * (1 + 0.2 * (Double(host) - Double(self.hosts - 1) / 2))
            let factors = noise == .equal ? [1.0] : [1.0 / 3, 1, 3]
            let scale = Self.deviation * factors[host % factors.count] * PagedNoise.usual
            func side(_ shift: Double) -> [Double] {
                (0..<Self.pairs / hosts).map { _ in
                    let value = floor + shift * PagedNoise.usual + generator.standardized(shape) * scale
                    return (value / 4096).rounded() * 4096
                }
            }
            return Stratum(base: side(0), head: side(change))
        }
        var rule = JudgementRule.interleaved
        rule.resamples = 1
        return JudgedFamily.Member(strata, rule: rule)
    }

    private static func verdicts(_ members: [JudgedFamily.Member]) -> [TwoStageJudge.Confirmation.Verdict] {
        JudgedFamily(members).confirmations(seed: 1).map { (try? $0.get().verdict) ?? .inconclusive(needed: 0) }
    }

    static let header = "hosts,pairs,noise,figures,comparisons,false_alarms,found,found_by_one_host"

    func line(_ rates: Rates, _ count: Int) -> String {
        "\(hosts),\(Self.pairs),\(noise.rawValue),\(figures),\(count),\(rates.alarms),\(rates.found),\(rates.foundByOne)"
    }
}

extension TwoStageJudge.Confirmation.Verdict {
    fileprivate var isChange: Bool { self == .regressed || self == .improved }
}

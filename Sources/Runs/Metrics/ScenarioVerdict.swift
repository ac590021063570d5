// SPDX-License-Identifier: Apache-2.0

/// The result of a scenario's trials in words: the last column of the scenario's table.
///
/// It has up to three sources: the growth with its requests (``RepetitionTrend``), figures that are suspect
/// (``SuspectLimit``) or missing, and conclusions of the program.
package struct ScenarioVerdict: Sendable {
    private let scenario: ScenarioDeclaration

    package init(_ scenario: ScenarioDeclaration) { self.scenario = scenario }

    package func words(of trials: [Trial]) -> String? {
        let completed = trials.filter { $0.isCompleted && $0.report?.scenario != nil }
        let parts = [trend(of: completed), findings(in: completed)].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private var figures: [FigureDeclaration] { scenario.figures ?? [] }

    /// Returns the most frequent verdict on the growth with its requests, with the median as its figure; undecided if
    /// exactly half of the trials leak.
    private func trend(of trials: [Trial]) -> String? {
        guard figures.contains(where: { $0.slopeOf == RepetitionTrend.allocated }) else { return nil }
        let trends = trials.compactMap { RepetitionTrend($0) }
        guard !trends.isEmpty else { return nil }
        let leaking = trends.filter { if case .leaks = $0.verdict { true } else { false } }
        if 2 * leaking.count > trends.count { return words(ofLeaks: trends) }
        if !leaking.isEmpty, 2 * leaking.count == trends.count {
            return "undecided: leaks in \(leaking.count) of \(trends.count) trials"
        }
        let others = alike(trends.map(\.verdict)).map(\.words).filter { !$0.hasPrefix("leaks") }
        let counts = Dictionary(grouping: others) { $0 }.mapValues(\.count)
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// Returns the verdicts with the median of the levels at which growth stopped.
    private func alike(_ verdicts: [RepetitionVerdict]) -> [RepetitionVerdict] {
        let levels = verdicts.compactMap { if case .levels(let bytes) = $0 { bytes } else { nil } }
        return verdicts.map { verdict in
            if case .levels = verdict { .levels(bytes: OrderStatistics.median(levels)) } else { verdict }
        }
    }

    /// Returns the verdict if most trials leak: the median leak, and the median start if most leaks begin late.
    private func words(ofLeaks trends: [RepetitionTrend]) -> String {
        var slopes: [Double] = []
        var starts: [Double] = []
        for trend in trends {
            if case .leaks(let bytes, let start) = trend.verdict {
                slopes.append(bytes)
                starts += start.map { [Double($0)] } ?? []
            } else if let slope = trend.allocated?.slope {
                slopes.append(slope)
            }
        }
        let isLate = 2 * starts.count > trends.count
        return RepetitionVerdict.leaks(
            bytes: OrderStatistics.median(slopes), from: isLate ? Int(OrderStatistics.median(starts)) : nil
        ).words
    }

    private func findings(in trials: [Trial]) -> String? {
        let limits = figures.filter { $0.suspect != nil }
        let readings = trials.compactMap { $0.report?.scenario }
        guard !readings.isEmpty else { return nil }
        let found = zip(trials, readings).map { trial, reading in
            limits.compactMap { figure in
                Metric(figure, of: [scenario.name]).value(trial).flatMap { figure.suspect?.words(of: $0) }
            }
                + reading.conclusions
        }
        let shared = once(found.flatMap(\.self)).filter { words in
            2 * found.count { $0.contains(words) } > found.count
        }
        let answered = limits.filter { !$0.isMade }
        let missing = answered.map(\.name).filter { name in readings.contains { $0.figures[name] == nil } }
        let words = (shared + missing.map { "missing figure: \($0)" }).joined(separator: ", ")
        if !words.isEmpty { return words }
        return answered.isEmpty && !scenario.needs.loader ? nil : "nothing wrong"
    }

    private func once(_ words: [String]) -> [String] {
        words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension SuspectLimit {
    fileprivate func words(of value: Double) -> String? {
        value > above ?? .infinity || value < below ?? -.infinity ? words : nil
    }
}

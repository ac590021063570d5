// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import TrialKit

extension Metric {
    /// Creates a metric from a declaration; a derived one has values only in trials of the declaring scenarios.
    package init(_ figure: FigureDeclaration, of scenarios: Set<String>) {
        self.init(
            figure.name, short: figure.shortName, figure.unit, figure.summary, better: figure.better,
            value: { trial in
                guard let reading = trial.report?.scenario else { return nil }
                guard figure.isMade else { return reading.figures[figure.name] }
                let isTheirs = scenarios.contains(trial.cell.conditions.scenario.name)
                return isTheirs ? Self.value(of: figure, in: trial) : nil
            })
    }

    /// Returns a figure derived from a trial's series and other figures.
    private static func value(of figure: FigureDeclaration, in trial: Trial) -> Double? {
        if let series = figure.slopeOf { return RepetitionTrend.slope(of: series, in: trial) }
        if let reading = figure.readingOf { return value(of: reading, in: trial) }
        return figure.quotient.flatMap { value(of: $0, in: trial) }
    }

    private static func value(of reading: SeriesReading, in trial: Trial) -> Double? {
        guard let baseline = trial.baseline, let series = trial.report?.scenario?.series[reading.series],
            series.indices.contains(reading.index)
        else { return nil }
        return Double(series[reading.index] - baseline.resident.rawValue)
    }

    private static func value(of quotient: FigureQuotient, in trial: Trial) -> Double? {
        guard var value = term(quotient.of, in: trial) else { return nil }
        for name in quotient.less {
            guard let less = term(name, in: trial) else { return nil }
            value -= less
        }
        var divisor = 1.0
        for name in quotient.by {
            guard let factor = term(name, in: trial) else { return nil }
            divisor *= factor
        }
        guard divisor > 0, divisor >= quotient.smallestDivisor ?? 0 else { return nil }
        // A divisor near 0 makes what no table and no judgement can take.
        let made = value / divisor
        return made.magnitude <= Limits.largestFigure ? made : nil
    }

    /// Returns a term of a quotient: a figure of the report, the asset's size, or a metric of every trial.
    private static func term(_ name: String, in trial: Trial) -> Double? {
        if let answered = trial.report?.scenario?.figures[name] { return answered }
        if name == assetBytes { return trial.assetByteCount.map { Double($0.rawValue) } }
        return MetricCatalog.ofEveryTrial[name]?.value(trial)
    }

    /// The term for the size of the asset, which is not a metric.
    private static let assetBytes = "asset_bytes"
}

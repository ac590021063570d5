// SPDX-License-Identifier: Apache-2.0

/// Draws a calibration for a terminal.
public struct CalibrationRenderer: Sendable {
    /// Creates a renderer.
    public init() {}

    /// The table, and what to make of it.
    public func text(of calibration: Calibration) -> String {
        var table = TextTable(
            ["case", "metric", "n", "median MiB", "CV", "noise floor", "counts from", "detects from", "false alarms"],
            words: 2)
        for entry in calibration.entries {
            table.rows.append([
                SafeText.forTerminal(entry.cell), entry.metric, "\(entry.trials)", Cell.size(entry.median),
                Cell.percent(entry.variation), Cell.percent(entry.noiseFloor), Cell.percent(entry.threshold),
                Cell.percent(entry.smallestDetectableChange), "\(entry.falseAlarms) of \(entry.resamples)",
            ])
        }
        let advice = calibration.entries.compactMap { entry in
            entry.advice.map { "\(SafeText.forTerminal(entry.cell)), \(entry.metric): \($0)\n" }
        }
        return table.plain + "\n" + Self.legend + advice.joined()
    }

    /// The calibration as JSON.
    public func json(of calibration: Calibration) throws(FetchBenchError) -> String {
        try RunCoding.readableText(of: calibration)
    }

    private static let legend = """
        One build against itself. Noise floor: 99 of 100 comparisons of two sets of its own trials differ by less.
        Counts from: the smallest change that is judged at all. Detects from: the smallest that 12 pairs can see.
        False alarms: two-stage comparisons resampled from these trials that called the build changed.

        """
}

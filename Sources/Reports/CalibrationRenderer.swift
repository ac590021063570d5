// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs
import Texts

/// Draws a calibration for a terminal.
package struct CalibrationRenderer: Sendable {
    package init() {}

    /// Returns the table, its legend and advice.
    package func text(of calibration: Calibration) -> String {
        var table = TextTable(
            [
                "case", "metric", "n", "median MiB", "shift KiB", "verdict", "noise floor KiB", "counts from KiB",
                "detects from KiB", "false alarms",
            ], words: 2)
        for entry in calibration.entries {
            table.rows.append([
                SafeText.forTerminal(entry.cell), entry.metric, "\(entry.trials)", FigureText.size(entry.median),
                Self.kibibytes(entry.shift), entry.verdict.words, Self.kibibytes(entry.noiseFloor),
                Self.kibibytes(entry.threshold), Self.kibibytes(entry.smallestDetectableChange),
                "\(entry.falseAlarms) of \(entry.resamples)",
            ])
        }
        let advice = calibration.entries.compactMap { entry in
            entry.advice.map { "\(SafeText.forTerminal(entry.cell)), \(entry.metric): \($0)\n" }
        }
        return table.plain + "\n" + Self.legend + advice.joined()
    }

    package func json(of calibration: Calibration) throws(FetchBenchError) -> String {
        try RunCoding.readableText(of: calibration)
    }

    private static func kibibytes(_ bytes: Double) -> String {
        ByteText.fixed(bytes / 1024, places: 1)
    }

    private static let legend = """
        One build against itself, or against its copy. Shift: the second side minus the first, and its noise
        the rule says of it. Noise floor: the standard error of a change between 12 pairs, or the shift if that is larger.
        Counts from: the smallest change that is judged at all, three noise floors or more. Detects from: the smallest
        that 12 pairs can see. False alarms: comparisons resampled from these trials that called the build changed.

        """
}

// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Texts

extension Calibration {
    /// The calibration as a document: a row for each case and metric, then advice.
    var document: Document {
        var table = TextTable(
            [
                "case", "metric", "n", "median MiB", "shift KiB", "verdict", "noise floor KiB", "counts from KiB",
                "detects from KiB", "false alarms",
            ], words: 2)
        let kibibytes = { (bytes: Double) in ByteText.fixed(bytes / 1024, places: 1) }
        table.rows = entries.map { entry in
            [
                entry.cell, JudgementText.metricName(entry.metric), "\(entry.trials)", FigureText.size(entry.median),
                kibibytes(entry.shift),
                entry.verdict.words, kibibytes(entry.noiseFloor), kibibytes(entry.threshold),
                kibibytes(entry.smallestDetectableChange), "\(entry.falseAlarms) of \(entry.resamples)",
            ]
        }
        var section = DocumentSection("calibration", "Calibration", isUntitled: true)
        section.tables = [DocumentTable("Each case and metric", table, subject: "case", counts: ["n"])]
        section.legend = [
            "One build against itself, or against its copy.",
            "Shift: the second side minus the first; the verdict: what the rule says of it.",
            "Noise floor: the standard error of a change between 12 pairs, or the shift if that is larger.",
            "Counts from: the smallest change that is judged at all, three noise floors or more.",
            "Detects from: the smallest that 12 pairs can see.",
            "False alarms: comparisons resampled from these trials that called the build changed.",
        ]
        section.items = entries.compactMap { entry in
            entry.advice.map { .init("\(entry.cell), \(JudgementText.metricName(entry.metric))", $0) }
        }
        return Document(title: "Calibration", answer: [], sections: [section])
    }
}

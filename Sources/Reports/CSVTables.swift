// SPDX-License-Identifier: Apache-2.0

package import Runs

/// `trials.csv`: one row per trial.
///
/// Its columns are a public interface: new ones are added, and none is renamed.
package enum TrialsTable {
    private struct Column {
        let name: String
        let text: (Trial) -> String
    }

    private static func columns(_ metrics: MetricCatalog) -> [Column] {
        let behind = behind(metrics)
        let first: [Column] = [  // Apart from the rest: in one expression the compiler took 13 s to find the types.
            Column(name: "trial") { String($0.number) },
            Column(name: "case") { $0.cell.identifier },
            Column(name: "asset") { $0.cell.asset },
            Column(name: "asset_bytes") { CSV.text($0.assetByteCount.map { Double($0.rawValue) }) },
            Column(name: "mode") { $0.cell.mode },
            Column(name: "render") { $0.cell.render },
            Column(name: "allocator") { $0.cell.allocator.rawValue },
            Column(name: "outcome") { $0.outcome.kind.rawValue },
            Column(name: "outcome_detail") { $0.outcome.detail },
            Column(name: "body_bytes") { CSV.text($0.report?.body.map { Double($0.byteCount.rawValue) }) },
            Column(name: "body_sha256") { $0.report?.body?.sha256 ?? "" },
        ]
        let all = metrics.all.reduce(into: first) { columns, metric in
            columns.append(Column(name: metric.name) { CSV.text(metric.value($0)) })
            columns += behind[metric.name] ?? []
        }
        return all + dimensions(12..<13, metrics) + [
            Column(name: "sent_bytes") { CSV.text($0.sentByteCount.map { Double($0.rawValue) }) },
            Column(name: "http_version") { $0.httpVersion?.rawValue ?? "" },
        ] + dimensions(13..<Dimension.all.count, metrics)
    }

    private static func dimensions(_ range: Range<Int>, _ metrics: MetricCatalog) -> [Column] {
        Dimension.all[range].map { dimension in
            Column(name: dimension.column) { dimension.columnText(of: $0.cell, in: metrics) }
        }
    }

    /// The columns between those of metrics, by the name of the metric that they follow.
    ///
    /// Their positions are fixed for readers that use column numbers; new columns come last.
    private static func behind(_ metrics: MetricCatalog) -> [String: [Column]] {
        func columns(_ range: Range<Int>) -> [Column] { dimensions(range, metrics) }
        return [
            Metric.peakAnonymousGrowth.name: [Column(name: "peak_source") { $0.peakSource?.rawValue ?? "" }],
            Metric.sampledMaximum.name: [Column(name: "seed") { String($0.seed) }],
            Metric.peakAnonymous.name: columns(0..<5),
            Metric.programPages.name: columns(5..<6) + [
                Column(name: "side") { $0.pairing?.side.rawValue ?? "" },
                Column(name: "stage") { $0.pairing?.stage.rawValue ?? "" },
            ] + columns(6..<9),
            Metric.threads.name: [
                Column(name: "parameters") {
                    $0.cell.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "+")
                }
            ],
            Metric.decodedRecords.name: columns(9..<11),
            Metric.sumOfNetPeaks.name: columns(11..<12),
            // Of shards alone: others have a single host.
            Metric.refaultedPages.name: [Column(name: "host") { $0.host ?? "" }],
        ]
    }

    package static func text(of run: RunRecord) -> String {
        let columns = columns(run.metrics)
        return run.trials.reduce(into: CSV.line(columns.map(\.name))) { text, trial in
            text += CSV.line(columns.map { $0.text(trial) })
        }
    }
}

/// `summary.csv`: tidy data, one row for each metric of each case.
package enum SummaryTable {
    private static let header = [
        "case", "asset", "asset_bytes", "mode", "render", "allocator", "metric", "unit", "n", "failed", "median",
        "min", "max", "mad", "cv_ratio",
    ]

    package static func text(of report: Report) -> String {
        var text = CSV.line(header + Dimension.all.map(\.column))
        for summary in report.cases {
            let cell = summary.cell
            let size = summary.asset?.byteCount
            let identity = [
                cell.identifier, cell.asset, CSV.text(size.map { Double($0.rawValue) }), cell.mode, cell.render,
                cell.allocator.rawValue,
            ]
            let dimensions = Dimension.all.map { $0.columnText(of: cell, in: report.metrics) }
            let failed = summary.failed
            for metric in report.metrics.all {
                guard let values = summary.values(of: metric) else { continue }
                let figures = [metric.name, metric.unit.rawValue] + row(of: values, failed: failed)
                text += CSV.line(identity + figures + dimensions)
            }
        }
        return text
    }

    private static func row(of values: Distribution, failed: Int) -> [String] {
        [String(values.count), String(failed)]
            + [
                values.median, values.minimum, values.maximum, values.medianAbsoluteDeviation,
                values.coefficientOfVariation,
            ].map { CSV.text($0) }
    }
}

/// `slopes.csv`: one row for each sweep of sizes.
package enum SlopesTable {
    private static let header =
        ["mode", "render", "allocator"] + first.map(\.column) + [
            "assets", "sizes", "smallest_bytes", "largest_bytes", "n", "slope_ratio", "slope_low_ratio",
            "slope_high_ratio", "intercept_bytes", "verdict",
        ] + added.map(\.column)
    /// The dimensions whose columns follow those of the first version.
    private static let added = Dimension.all[5...]
    private static let first = Dimension.all[..<5]

    package static func text(of report: Report) -> String? {
        guard !report.sweeps.isEmpty else { return nil }
        return report.sweeps.reduce(into: CSV.line(header)) { text, sweep in
            text += CSV.line(row(of: sweep, report.metrics))
        }
    }

    private static func row(of sweep: SizeSweep, _ metrics: MetricCatalog) -> [String] {
        let cell = sweep.common
        let line = sweep.line
        return [cell.mode, cell.render, cell.allocator.rawValue]
            + first.map { $0.columnText(of: cell, in: metrics) }
            + [
                sweep.cases.map(\.asset).joined(separator: " "), String(sweep.sizes.count),
                String(sweep.sizes.first?.rawValue ?? 0), String(sweep.sizes.last?.rawValue ?? 0),
                String(sweep.trials), CSV.text(line.slope),
                CSV.text(line.slopeInterval.lowerBound), CSV.text(line.slopeInterval.upperBound),
                CSV.text(line.intercept), sweep.verdict.words,
            ] + added.map { $0.columnText(of: cell, in: metrics) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Charts
import MemProbe
import Runs
import Statistics
import Texts

/// The smallest limits of cases: an answer in sentences, tables, a picture, and the lines for a container's settings.
struct SurvivalDocument {
    private static let header = ["case", "survives", "fails", "unhurt from", "charged", "page cache"]
    private static let limitHeader = [
        "limit MiB", "survived", "time ms", "× unlimited", "read again MiB", "major faults", "charged MiB",
    ]

    private let table: SurvivalTable

    init(_ table: SurvivalTable) {
        self.table = table
    }

    var document: Document {
        let machine = table.environment
        var document = Document(
            title: "What memory limit a container needs", answer: table.cases.map(Self.sentence) + swapWarning,
            sections: [summary] + table.cases.compactMap { details(of: $0) } + [settings])
        document.subtitle = [table.tool, machine.processor ?? "", "Linux \(machine.kernel)", table.measuredAt]
            .filter { !$0.isEmpty }.joined(separator: ", ")
        return document
    }

    /// The answer of one case.
    static func sentence(_ survival: Survival) -> String {
        let name = name(of: survival)
        if let failure = survival.failure { return "\(name): no limit was found: \(failure)" }
        guard let surviving = survival.surviving, let limit = surviving.limit else {
            return "\(name): no limit was found"
        }
        let count = surviving.trials.count
        let failed = survival.highestFailed.map { ", and not always with \(whole($0))" } ?? ""
        let first = "\(name) survives with \(whole(limit)) MiB (\(count) of \(count) trials\(failed))"
        guard let unhurt = survival.unhurt?.limit else { return first + "; every limit hurts it." }
        return unhurt == limit
            ? first + " and is not hurt by that limit." : first + "; from \(whole(unhurt)) MiB on no limit hurts it."
    }

    static func name(of survival: Survival) -> String {
        survival.cell.isPlain ? SafeText.withBytesShown(survival.cell.title) : survival.cell.identifier
    }

    private static func whole(_ size: ByteCount) -> String { "\(size.rawValue >> 20)" }

    private static func tenths(_ size: ByteCount?) -> String {
        size.map { ByteText.fixed($0.mebibytes, places: 1) } ?? FigureText.absent
    }

    private var swapWarning: [String] {
        guard table.swap > .zero else { return [] }
        return [
            "This machine has \(ByteText.mebibytes(table.swap)) of swap space, which a limit leaves usable: without it, more is "
                + "needed."
        ]
    }

    private var summary: DocumentSection {
        var text = TextTable(Self.header, words: 1)
        for survival in table.cases {
            let charge = survival.unlimited.highestCharge
            text.rows.append([
                Self.name(of: survival), survival.surviving?.limit.map(Self.whole) ?? FigureText.absent,
                survival.highestFailed.map(Self.whole) ?? FigureText.absent,
                survival.unhurt?.limit.map(Self.whole) ?? FigureText.absent, Self.tenths(survival.unlimited.peak),
                Self.tenths(charge?.pageCache),
            ])
        }
        return DocumentSection(
            "limits", "Smallest limits", figures: [figure].compactMap(\.self),
            tables: [DocumentTable("Smallest limits", text, subject: "case")], legend: legend, isUntitled: true)
    }

    private var legend: [String] {
        [
            "All in MiB. Survives: \(table.trials) of \(table.trials) trials in fresh processes, each in a control group (version "
                + "\(table.controlGroups)) with that limit. Fails: the highest limit under which a trial did.",
            "Unhurt: from there on no limit makes trials slower by more than 5 % (Mann–Whitney, p < 0.05) or read more than "
                + "1 MiB again.",
            "Charged: the most that the control group was charged without a limit. Page cache that is written to its drive "
                + "is reclaimed before anything is killed. Pages that were cached before a trial are not charged here; in a new container they are.",
            "A container also holds what else runs in it; leave room for that and for more load than was measured.",
        ]
    }

    private func details(of survival: Survival) -> DocumentSection? {
        guard !survival.limits.isEmpty else { return nil }
        var text = TextTable(Self.limitHeader, words: 0)
        for trials in survival.limits + [survival.unlimited] {
            let survived = trials.survivors.count
            text.rows.append([
                trials.limit.map(Self.whole) ?? "none", "\(survived) of \(trials.trials.count)",
                trials.time.map { ByteText.fixed($0.median / 1e6, places: 1) } ?? FigureText.absent,
                survival.slowdown(of: trials).map { ByteText.fixed($0, places: 2) } ?? FigureText.absent,
                trials.refaults.map { ByteText.fixed($0.median * pageMebibytes, places: 1) } ?? FigureText.absent,
                trials.majorFaults.map { ByteText.fixed($0.median, places: 0) } ?? FigureText.absent,
                Self.tenths(trials.peak),
            ])
        }
        let name = Self.name(of: survival)
        return DocumentSection(
            "limits-\(table.cases.firstIndex(of: survival) ?? 0)", "Under each limit: \(name)",
            tables: [DocumentTable("\(name) under each limit", text)])
    }

    private var pageMebibytes: Double { table.environment.pageSize.mebibytes }

    private var settings: DocumentSection {
        let items = table.cases.compactMap { survival -> DocumentSection.Item? in
            guard let limit = (survival.unhurt ?? survival.surviving)?.limit else { return nil }
            let size = limit.rawValue >> 20
            return .init(
                Self.name(of: survival),
                "memory: \(size)Mi (Kubernetes, resources.limits), mem_limit: \(size)m (Compose), --memory \(size)m (docker run)"
            )
        }
        return DocumentSection("settings", "For a container", items: items)
    }

    private var figure: DocumentFigure? { picture.map { DocumentFigure(picture: $0, caption: Self.caption) } }

    private static let caption =
        "Each mark is the median of a limit's trials; the first is the smallest limit that all survived."

    /// The time of each case by its limit; `nil` without times.
    var picture: ChartPicture? {
        let lines = table.cases.prefix(ChartStyle.seriesCount).compactMap { survival -> LineChart.Line? in
            guard let least = survival.surviving?.limit else { return nil }
            let points = survival.limits.compactMap { trials -> (x: Double, y: Double)? in
                guard let limit = trials.limit, limit >= least, let slowdown = survival.slowdown(of: trials) else {
                    return nil
                }
                return (x: limit.mebibytes, y: slowdown)
            }
            return points.isEmpty ? nil : LineChart.Line(Self.name(of: survival), points: points)
        }
        guard !lines.isEmpty else { return nil }
        return LineChart(
            title: "Time under a limit",
            summary: "The time of trials under each limit as a multiple of the time without one.",
            xAxis: "limit of the container (MiB)", yAxis: "time, × without a limit", lines: Array(lines)
        ).picture
    }
}

extension SurvivalTable {
    private static let columns = [
        "case", "limit_bytes", "trial", "outcome", "outcome_detail", "duration_ns", "charged_peak_bytes",
        "charged_anonymous_bytes", "charged_page_cache_bytes", "refaulted_pages", "major_faults", "limit_hits",
        "swapped_bytes",
    ]

    /// The trials as CSV, one row each.
    var csv: String {
        var text = CSV.line(Self.columns)
        for survival in cases {
            for limit in [survival.unlimited] + survival.limits {
                for (index, trial) in limit.trials.enumerated() {
                    text += CSV.line(
                        [survival.cell.identifier, Self.text(limit.limit), "\(index + 1)"] + Self.fields(of: trial))
                }
            }
        }
        return text
    }

    private static func fields(of trial: LimitTrials.Trial) -> [String] {
        let counts = [trial.reclaim?.refaultedPages, trial.reclaim?.majorFaults, trial.limitHits]
        return [trial.outcome.kind.rawValue, trial.outcome.detail, "\(trial.nanoseconds)", text(trial.peak?.total)]
            + [text(trial.charge?.anonymous), text(trial.charge?.pageCache)]
            + counts.map { count in count.map { "\($0)" } ?? "" } + [text(trial.swapped)]
    }

    private static func text(_ size: ByteCount?) -> String { size.map { "\($0.rawValue)" } ?? "" }
}

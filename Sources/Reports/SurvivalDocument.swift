// SPDX-License-Identifier: Apache-2.0

import Charts
import Runs

/// The smallest limits of cases: an answer in sentences, tables, a picture, and the lines for a container's settings.
struct SurvivalDocument {
    private static let header = ["case", "survives", "unhurt from", "new container", "charged"]
    private static let limitHeader = [
        "limit MiB", "survived", "time ms", "× unlimited", "read again MiB", "major faults", "charged MiB",
    ]

    private let table: SurvivalTable

    init(_ table: SurvivalTable) { self.table = table }

    var document: Document {
        let machine = table.environment
        var document = Document(
            title: "What memory limit a container needs", answer: table.cases.map(Self.sentence) + swapWarning,
            sections: [summary] + table.cases.flatMap { details(of: $0) } + [settings].compactMap(\.self))
        document.subtitle = [table.tool, machine.processor ?? "", "Linux \(machine.kernel)", table.measuredAt]
            .filter { !$0.isEmpty }.joined(separator: ", ")
        return document
    }

    static func sentence(_ survival: Survival) -> String {
        let name = name(of: survival)
        guard let surviving = survival.surviving, let limit = surviving.limit else {
            return "\(name): no limit was found: \(survival.failure ?? "none was survived")"
        }
        let failed = survival.cached.highestFailed.map { ", and not always with \(whole($0))" } ?? ""
        let share = "\(surviving.survivors.count) of \(surviving.trials.count) trials"
        return "\(name) survives with \(whole(limit)) MiB (\(share)\(failed))"
            + hurt(survival, at: limit) + adaptation(of: survival) + ownFailures(of: survival)
    }

    private static func hurt(_ survival: Survival, at limit: ByteCount) -> String {
        let cached =
            survival.unhurt?.limit.map { unhurt in
                unhurt == limit
                    ? " and is not hurt by that limit." : "; from \(whole(unhurt)) MiB on no limit hurts it."
            } ?? "; every limit hurts it."
        guard let uncached = survival.uncached else { return cached }
        let own =
            uncached.unhurt?.limit.map { "from \(whole($0)) MiB on no limit hurts it." } ?? "every limit hurts it."
        return cached + " In a new container, which has to read the program itself, \(own)"
    }

    private static func adaptation(of survival: Survival) -> String {
        guard let (least, most) = survival.adaptation else { return "" }
        return
            " It sizes itself by its limit: it holds \(tenths(least)) MiB under the smallest and \(tenths(most)) without one."
    }

    private static func ownFailures(of survival: Survival) -> String {
        let trials = [survival.cached, survival.uncached].compactMap(\.self).flatMap { [$0.unlimited] + $0.limits }
        let failed = trials.reduce(0) { $0 + $1.failedThemselves }
        guard failed > 0, let first = trials.flatMap(\.trials).first(where: { !$0.survived && !$0.failedForLimit })
        else {
            return ""
        }
        let count = trials.reduce(0) { $0 + $1.trials.count }
        return
            " \(failed) of all \(count) trials failed without having reached a limit (first: \(first.outcome.detail))."
    }

    static func name(of survival: Survival) -> String {
        survival.cell.isPlain ? SafeText.withBytesShown(survival.cell.title) : survival.cell.identifier
    }

    private static func whole(_ size: ByteCount) -> String { "\(size.rawValue >> 20)" }

    /// A limit, and between which ones another search may find it: `31 (30–32)`.
    private static func limit(_ trials: LimitTrials?, in range: ClosedRange<ByteCount>?) -> String {
        guard let limit = trials?.limit, let range else { return FigureText.absent }
        return "\(whole(limit)) (\(whole(range.lowerBound))–\(whole(range.upperBound)))"
    }

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
            text.rows.append([
                Self.name(of: survival), Self.limit(survival.surviving, in: survival.cached.survivingRange),
                Self.limit(survival.unhurt, in: survival.cached.unhurtRange),
                Self.limit(survival.uncached?.unhurt, in: survival.uncached?.unhurtRange),
                Self.tenths(survival.cached.unlimited.peak),
            ])
        }
        return DocumentSection(
            "limits", "Smallest limits", figures: [figure].compactMap(\.self),
            tables: [DocumentTable("Smallest limits", text, subject: "case")], legend: legend, isUntitled: true)
    }

    private var legend: [String] {
        [
            "All in MiB. Survives: \(table.trials) of \(table.trials) trials in fresh processes, each in a control group (version "
                + "\(table.controlGroups)) with that limit; in brackets, where another search may find it.",
            "Unhurt: from there on, to a tenth, no limit makes trials slower by more than 5 %, or 25 % where it was not "
                + "reached (Mann–Whitney, p < 0.01). New container: the same where each trial reads the program's files itself.",
            "Charged: the most without a limit. Page cache that is on its drive is reclaimed before anything is killed.",
        ]
    }

    private func details(of survival: Survival) -> [DocumentSection] {
        let (name, place) = (Self.name(of: survival), table.cases.firstIndex(of: survival) ?? 0)
        let parts = [("limits", "Under each limit", survival.cached), ("new", "In a new container", survival.uncached)]
        return parts.compactMap { identifier, heading, series in
            guard let series, !series.limits.isEmpty else { return nil }
            return DocumentSection(
                "\(identifier)-\(place)", "\(heading): \(name)",
                tables: [DocumentTable("\(heading): \(name)", rows(of: series))])
        }
    }

    private func rows(of series: LimitSeries) -> TextTable {
        var text = TextTable(Self.limitHeader, words: 0)
        let none = table.limitAbove.map { "none (\(Self.whole($0)) above)" } ?? "none"
        let failed = series.highestFailed ?? .zero
        // Not those that were tried once on the way to others.
        let telling = series.limits.filter { $0.limit ?? .zero >= failed && series.isHurt($0) != nil }
        for trials in telling + [series.unlimited] {
            text.rows.append([
                trials.limit.map(Self.whole) ?? none, "\(trials.survivors.count) of \(trials.trials.count)",
                trials.time.map { ByteText.fixed($0.median / 1e6, places: 1) } ?? FigureText.absent,
                series.slowdown(of: trials).map { ByteText.fixed($0, places: 2) } ?? FigureText.absent,
                trials.refaults.map { ByteText.fixed($0.median * pageMebibytes, places: 1) } ?? FigureText.absent,
                trials.majorFaults.map { ByteText.fixed($0.median, places: 0) } ?? FigureText.absent,
                Self.tenths(trials.peak),
            ])
        }
        return text
    }

    private var pageMebibytes: Double { table.environment.pageSize.mebibytes }

    private var settings: DocumentSection? {
        let items = table.cases.compactMap { survival -> DocumentSection.Item? in
            guard let size = survival.setting.map(Self.whole) else { return nil }
            return .init(
                Self.name(of: survival),
                "memory: \(size)Mi (Kubernetes, resources.limits), mem_limit: \(size)m (Compose), --memory \(size)m (docker run)"
            )
        }
        let legend = ["All that a new container needs, and a tenth more."]
        return items.isEmpty ? nil : DocumentSection("settings", "For a container", items: items, legend: legend)
    }

    private var figure: DocumentFigure? {
        picture.map { DocumentFigure(picture: $0, caption: "Each mark is the median of the trials under a limit.") }
    }

    /// The time of each case by its limit; `nil` without times.
    var picture: ChartPicture? {
        let lines = table.cases.prefix(ChartStyle.seriesCount).compactMap { survival -> LineChart.Line? in
            guard let least = survival.surviving?.limit else { return nil }
            let points = survival.cached.limits.compactMap { trials -> (x: Double, y: Double)? in
                guard let limit = trials.limit, limit >= least, let slowdown = survival.cached.slowdown(of: trials)
                else {
                    return nil
                }
                return (x: limit.mebibytes, y: slowdown)
            }
            return points.isEmpty ? nil : LineChart.Line(Self.name(of: survival), points: points)
        }
        guard !lines.isEmpty else { return nil }
        var chart = LineChart(
            title: "Time under a limit",
            summary: "The time of trials under each limit as a multiple of the time without one.",
            xAxis: "limit of the container (MiB)", yAxis: "time, × without a limit", lines: Array(lines))
        if table.cases.count == 1, let only = table.cases.first {
            let marks = [(only.surviving, "survives"), (only.unhurt, "not hurt")].compactMap { trials, words in
                trials?.limit.map { (x: $0.mebibytes, words: words) }
            }
            chart.steps = marks.count == 2 && marks[0].x == marks[1].x ? [(marks[0].x, "survives, not hurt")] : marks
        }
        return chart.picture
    }
}

extension SurvivalTable {
    private static let columns = [
        "case", "limit_bytes", "trial", "program_files", "outcome", "outcome_detail", "duration_ns",
        "charged_peak_bytes",
        "charged_anonymous_bytes", "charged_page_cache_bytes", "refaulted_pages", "major_faults", "limit_hits",
        "swapped_bytes",
    ]

    var csv: String {
        var text = CSV.line(Self.columns)
        for survival in cases {
            for (state, series) in [("cached", survival.cached), ("uncached", survival.uncached)] {
                for limit in series.map({ [$0.unlimited] + $0.limits }) ?? [] {
                    for (index, trial) in limit.trials.enumerated() {
                        let place = [survival.cell.identifier, Self.text(limit.limit), "\(index + 1)", state]
                        text += CSV.line(place + Self.fields(of: trial))
                    }
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

// SPDX-License-Identifier: Apache-2.0

import Runs

extension RunDocument {
    var casesTable: DocumentTable {
        let isNull = { (summary: CaseSummary) in summary.cell.asset == Case.nullAsset }
        let saysHTTP = report.run.plan.assets.contains { $0.scheme == "https" }
        let words = identityHeader + (saysHTTP ? ["HTTP"] : [])
        var table = TextTable(
            words + ["n", "peak", "CV", "anonymous", "k", "fetch ms", "CPU ms"], words: words.count)
        table.rows = report.fetched.withLast(isNull).map { summary in
            let fetch =
                isNull(summary)
                ? ["", Report.nullLabel, ""] : [summary.assetText, summary.cell.mode, summary.cell.render]
            let version = summary.trials.ofCompleted(\.httpVersion).first?.rawValue ?? (isNull(summary) ? "" : "–")
            let http = saysHTTP ? [version] : []
            return fetch + identity(of: summary.cell).dropFirst(3) + http + [
                FigureText.count(summary), FigureText.growth(summary.median(of: .peakResidentGrowth)),
                FigureText.percent(summary.values(of: .peakResident)?.coefficientOfVariation),
                FigureText.growth(summary.median(of: .peakAnonymousGrowth)), FigureText.ratio(summary.copies),
                summary.timeMark + FigureText.milliseconds(summary.median(of: .duration(of: .fetch))),
                FigureText.milliseconds(summary.median(of: .cpu(of: .fetch))),
            ]
        }
        var drawn = DocumentTable("Medians; growth in MiB", table, subject: "mode", counts: ["n"])
        drawn.exceptions = Set(table.rows.indices.filter { table.rows[$0].contains(Report.nullLabel) })
        drawn.label = Report.nullLabel
        return drawn
    }

    var trialsTable: TextTable {
        // A plain command begins with nothing: its growth is its whole peak, and its only phase is the run.
        let isPlain = !report.run.plan.fetches
        let time: (Trial) -> String = { $0.timeMark + FigureText.milliseconds(Metric.duration(of: .fetch).value($0)) }
        let figures: [(heading: String, text: (Trial) -> String)] = [
            (isPlain ? "peak" : "peak growth", { FigureText.growth(Metric.peakResidentGrowth.value($0)) }),
            ("anonymous", { FigureText.growth(Metric.peakAnonymousGrowth.value($0)) }),
            ("whole peak", { FigureText.size(Metric.peakResident.value($0)) }),
            (isPlain ? "time ms" : "fetch ms", time),
        ].filter { !isPlain || $0.0 != "whole peak" }
        var table = TextTable(["case", "trial", "outcome"] + figures.map(\.heading), words: 1)
        table.rows = report.run.trials.map { trial in
            let outcome =
                trial.outcome.kind.rawValue + (trial.outcome.detail.isEmpty ? "" : ": " + trial.outcome.detail)
            return [trial.cell.identifier, "\(trial.number)", outcome] + figures.map { $0.text(trial) }
        }
        return table
    }

    /// The slope of each sweep of sizes; `nil` if the run has none.
    var slopesTable: TextTable? {
        var table = TextTable(
            identityHeader.filter { $0 != "asset" } + ["assets", "verdict", "slope", "95 % interval", "a, MiB", "n"],
            words: identityHeader.count + 1)
        for sweep in report.sweeps {
            let interval = sweep.line.slopeInterval
            table.rows.append(
                identity(of: sweep.common).dropFirst() + [
                    sweep.cases.map(\.asset).joined(separator: ", "), sweep.verdict.words,
                    ByteText.fixed(sweep.line.slope, places: 3),
                    ByteText.fixed(interval.lowerBound, places: 3) + " … "
                        + ByteText.fixed(interval.upperBound, places: 3),
                    FigureText.growth(sweep.line.intercept), "\(sweep.trials)",
                ])
        }
        return table.rows.isEmpty ? nil : table
    }

    var memoryTable: TextTable {
        table([
            ("n", FigureText.count),
            ("peak growth", growth(.peakResidentGrowth)),
            ("min … max", { FigureText.range($0.values(of: .peakResidentGrowth)) }),
            ("CV of the peak", { FigureText.percent($0.values(of: .peakResident)?.coefficientOfVariation) }),
            ("anonymous", growth(.peakAnonymousGrowth)),
            ("k", { FigureText.ratio($0.copies) }),
            ("whole peak", size(.peakResident)),
            ("of it program pages", size(.programPages)),
            ("page cache", size(.pageCache)),
            ("retained", growth(.retainedResidentGrowth)),
            ("after purge", growth(.purgedResidentGrowth)),
        ])
    }

    var timeTable: TextTable {
        table([
            ("fetch CPU", milliseconds(.cpu(of: .fetch))),
            ("fetch wall", { $0.timeMark + FigureText.milliseconds($0.median(of: .duration(of: .fetch))) }),
            ("verify CPU", milliseconds(.verificationCPU)),
            ("render CPU", milliseconds(.cpu(of: .render))),
            ("render wall", milliseconds(.duration(of: .render))),
            ("process wall", milliseconds(.processDuration)),
        ])
    }

    /// The allocator's statistics at the end of each phase of every case.
    var allocatorsTable: TextTable {
        table(
            Phase.measured.flatMap { phase in
                [
                    ("\(phase.rawValue): allocated", size(.allocated(at: phase))),
                    ("resident", size(.allocatorResident(at: phase))),
                ]
            })
    }

    private typealias Text = (CaseSummary) -> String

    private func growth(_ metric: Metric) -> Text { { FigureText.growth($0.median(of: metric)) } }

    private func size(_ metric: Metric) -> Text { { FigureText.size($0.median(of: metric)) } }

    private func milliseconds(_ metric: Metric) -> Text { { FigureText.milliseconds($0.median(of: metric)) } }

    private func table(_ columns: [(heading: String, text: Text)]) -> TextTable {
        var table = TextTable(identityHeader + columns.map(\.heading), words: identityHeader.count)
        table.rows = report.fetched.map { summary in identity(of: summary.cell) + columns.map { $0.text(summary) } }
        return table
    }

    /// The headings of the columns that identify a case; conditions only if a case has any.
    private var identityHeader: [String] {
        ["asset", "mode", "render", "allocator"] + (report.run.plan.hasConditions ? ["conditions"] : [])
    }

    private func identity(of cell: Case) -> [String] {
        [cell.asset, cell.mode, cell.render, cell.allocator.rawValue]
            + (report.run.plan.hasConditions ? [cell.conditionsTextOrUsual] : [])
    }

}

extension Case {
    /// The conditions that are not as usual; a row without any would have no name beside those that have some.
    var conditionsTextOrUsual: String { conditionsText.isEmpty && asset != Case.nullAsset ? "usual" : conditionsText }
}

extension CaseSummary {
    /// The asset with its size, unless that is its name: `hero (12.5 MiB)`, `16MiB`.
    var assetText: String {
        guard let size = asset?.byteCount, ByteCount(parsing: cell.asset) == nil else { return cell.asset }
        return "\(cell.asset) (\(size < .mebibytes(1) ? "\(size.rawValue) bytes" : ByteText.mebibytes(size)))"
    }
}

extension Sequence {
    /// Returns the elements grouped by a key, in the order of the first element of each group.
    package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        var groups: [(key: Key, elements: [Element])] = []
        var places: [Key: Int] = [:]
        for element in self {
            let key = key(element)
            let place = places[key] ?? groups.count
            if place == groups.count { groups.append((key, [])) }
            places[key] = place
            groups[place].elements.append(element)
        }
        return groups
    }
}

extension Array {
    func chunks(ofCount count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(dropFirst($0).prefix(count)) }
    }

    /// Returns the elements in their order, but those that the predicate is true for behind the others.
    func withLast(_ isLast: (Element) -> Bool) -> [Element] { filter { !isLast($0) } + filter(isLast) }
}

extension RunRecord {
    var machineItems: [DocumentSection.Item] {
        let machine = environment
        let memory = machine.memory.map { ", " + ByteText.mebibytes($0) } ?? ""
        let place = machine.label.map { [DocumentSection.Item("machine", $0)] } ?? []
        let rows: [DocumentSection.Item] = [
            .init(
                "processor",
                "\(machine.processor ?? "unknown") (\(machine.architecture), \(machine.processorCount) CPUs\(memory))"
            ),
            .init("kernel", "Linux \(machine.kernel), pages of \(machine.pageSize.rawValue) bytes"),
            .init("built with", "Swift \(machine.swift), \(machine.buildConfiguration), \(machine.libc)"),
            .init("allocators", allocators),
            .init("huge pages", "\(machine.transparentHugePages ?? "unknown") in the system, off in trials"),
            .init(
                "readings",
                "\(machine.exactness); the high-water mark may be low by at most \(machine.peakErrorWords)"
            ),
            .init(
                "files fetched to",
                machine.temporaryFileSystem + (machine.destinationFileSystem.map { ", other destination: \($0)" } ?? "")
            ),
            .init("plan", planText),
            .init("assets", plan.assets.map(text(of:)).joined(separator: "; ")),
            .init("measured", "\(startedAt) to \(finishedAt ?? "interrupted")"),
        ]
        return (place + rows).filter { plan.fetches || !Self.ofFetches.contains($0.term) }
    }

    /// The rows that are left out if nothing is fetched.
    private static let ofFetches = ["allocators", "files fetched to", "assets"]

    private var planText: String {
        let isForeign = !plan.assets.contains(where: \.isEmbedded)
        let settings = Setting.inReports.filter {
            (plan.fetches || !$0.isOfFetch) && !($0.isOfOrigin && isForeign)
        }
        let parts =
            ["\(plan.cases.count) cases × \(plan.trials) trials"]
            + settings.compactMap { $0.told(SettingValues(plan)) }
            + (plan.settings.request.map { ["requested with \($0.text)"] } ?? [])
        return parts.joined(separator: ", ")
    }

    private var allocators: String {
        let named = environment.allocators.sorted { $0.key < $1.key }.map { arm, identity in
            "\(arm): \(identity.name) \(identity.shortVersion)"
        }
        return named.isEmpty ? "none verified" : named.joined(separator: "; ")
    }

    private func text(of asset: Asset) -> String {
        let size = asset.byteCount.map { " \($0.rawValue) bytes" } ?? ""
        let hash = asset.sha256.map { ", SHA-256 \($0.prefix(16))…" } ?? ""
        let place = asset.isEmbedded ? "" : " from \(asset.location)"
        return "\(asset.name)\(size)\(hash)\(place)"
    }
}

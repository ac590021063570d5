// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs

package struct Headline: Sendable {
    private let report: Report
    private let charge: Metric?

    package init(_ report: Report) { (self.report, charge) = (report, report.growthWithFiles) }

    /// The answer in one sentence: what a download task saves, the outcome of a scenario, the slopes by mode, or which
    /// mode or command peaks highest.
    package var text: String {
        guard report.run.plan.fetches else {
            return CommandReport(report).flatMap { CommandsDocument($0).sentence } ?? fallback
        }
        if let answer = report.downloadAnswer { return complete(DownloadAnswerText(answer).sentence, charge != nil) }
        if let sentence = served ?? Scenarios(report).sentence ?? sweeping { return complete(sentence, false) }
        return extremes.map { complete($0, charge != nil) } ?? fallback
    }

    private func complete(_ sentence: String, _ isCharged: Bool) -> String {
        guard !isCharged, let files = report.run.environment.fileSystemInMemory else { return sentence + "." }
        return sentence + ". A file on \(files) is memory, too, which these figures leave out."
    }

    /// The modes by the slope of their peaks, if several sizes were measured.
    private var sweeping: String? {
        let plain = report.sweeps.filter {
            $0.common.render == Case.withoutRendering && $0.common.allocator == report.leadingAllocator
        }
        let sizes = plain.flatMap(\.sizes)
        guard let smallest = sizes.min(), let largest = sizes.max() else { return nil }
        let phrases = plain.grouped { $0.verdict.words }.map { group in
            let modes = group.elements.map { sweep in
                let conditions = sweep.common.conditionsText
                return sweep.common.mode + (conditions.isEmpty ? "" : " (\(conditions))")
            }
            return "\(group.key) for \(modes.joined(separator: ", "))"
        }
        return "Over sizes of \(ByteText.mebibytes(smallest)) to \(ByteText.mebibytes(largest)) the peak is "
            + phrases.joined(separator: "; ")
    }

    /// The server's case with the highest peak, if only servers were measured.
    private var served: String? {
        guard report.cases.allSatisfy(\.cell.isServer) else { return nil }
        let peaks = report.cases.compactMap { row in row.median(of: .peakResidentGrowth).map { (row: row, growth: $0) }
        }
        guard let most = peaks.max(by: { $0.growth < $1.growth }) else { return nil }
        let cell = most.row.cell
        let copies = most.row.copies.map { ", \(FigureText.ratio($0)) copies of the bodies in flight" } ?? ""
        let circumstances =
            cell.parameters.map { "\($0.name) \($0.value)" } + cell.conditions.words + [Self.count(most.row)]
        return "\(cell.mode) peaks \(FigureText.size(most.growth)) MiB above the mark\(copies) "
            + "(\(circumstances.joined(separator: ", ")))"
    }

    private static func count(_ summary: CaseSummary) -> String {
        "\(summary.completed) trial\(summary.completed == 1 ? "" : "s")"
    }

    /// The highest peak of the leading asset against the lowest, without rendering if that was measured.
    private var extremes: String? {
        let summaries = report.run.plan.modes.compactMap { mode in
            report.leadingCase(mode, Case.withoutRendering)
                ?? report.run.plan.renders.first.flatMap { report.leadingCase(mode, $0) }
        }
        let peaks = summaries.filter { $0.asset != nil }.compactMap { summary in
            summary.median(of: charge ?? .peakResidentGrowth).map { (summary: summary, growth: $0) }
        }
        guard let most = peaks.max(by: { $0.growth < $1.growth }), let least = peaks.min(by: { $0.growth < $1.growth })
        else { return nil }
        let basis = charge == nil ? [] : ["by the charge, since files are memory here"]
        let circumstances = (Self.circumstances(of: most.summary) + basis).joined(separator: ", ")
        let name = most.summary.cell.mode
        guard peaks.count > 1 else {
            // With a picture in it the peak is no number of copies.
            let isOfCopies = charge == nil && most.summary.cell.render == Case.withoutRendering
            let whole = report.run.plan.settings.bodyOfK
            let copies =
                (isOfCopies ? most.summary.copies : nil).map { ", \(FigureText.ratio($0)) copies of \(whole)" } ?? ""
            return "\(name) peaks \(FigureText.size(most.growth)) MiB above its start\(copies) (\(circumstances))"
        }
        let difference = most.growth - least.growth
        guard difference >= JudgementRule.interleaved.minimumBytes else {
            let modes =
                peaks.count == 2
                ? peaks.map { $0.summary.cell.mode }.joined(separator: " and ") : "All \(peaks.count) modes"
            return "\(modes) peak alike, within \(FigureText.size(difference)) MiB (\(circumstances))"
        }
        return "\(name) peaks \(FigureText.size(difference)) MiB above \(least.summary.cell.mode) "
            + "(\(circumstances))"
    }

    /// The asset with its size unless that is its name, the allocator, unusual conditions and the number of trials.
    private static func circumstances(of summary: CaseSummary) -> [String] {
        let cell = summary.cell
        let render = cell.render == Case.withoutRendering ? [] : [cell.render]
        return [summary.assetText] + render + [cell.allocator.rawValue] + cell.conditions.words
            + [count(summary)]
    }

    private var fallback: String {
        let completed = report.cases.reduce(0) { $0 + $1.completed }
        return "\(completed) of \(report.run.trials.count) trials completed; no case has a figure to lead with."
    }
}

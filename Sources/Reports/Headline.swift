// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs
import Statistics
import Texts
import TrialKit

/// The result of a run in one sentence.
package struct Headline: Sendable {
    private let report: Report
    private let escape: @Sendable (String) -> String

    /// Takes a report and the escaping of the output format for text from outside.
    package init(_ report: Report, escape: @escaping @Sendable (String) -> String = SafeText.forMarkdown) {
        self.report = report
        self.escape = escape
    }

    /// The answer in one sentence, and the figures of each mode behind it.
    package var text: String {
        guard report.run.plan.fetches else { return answer }
        // The answer is none of these where a download task was compared or a scenario leads.
        let isOther = report.downloadAnswer != nil || report.leadingConditions.scenario != .none
        let details = (isOther ? [sweeping] : []) + (report.downloadAnswer == nil ? [fetching, rendering] : [])
        return [answer, Self.joined(details)].compactMap(\.self).joined(separator: " ")
    }

    /// The answer in one sentence: what a download task saves, the outcome of a scenario, the slopes by mode, or which
    /// mode or command peaks highest.
    package var answer: String {
        guard report.run.plan.fetches else { return holding ?? fallback }
        if let answer = report.downloadAnswer { return DownloadAnswerText(answer, escape: escape).sentence }
        return Self.joined([ScenarioSentence(report, escape: escape).text ?? sweeping ?? extremes]) ?? fallback
    }

    private static func joined(_ parts: [String?]) -> String? {
        let parts = parts.compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ") + "."
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
                return escape(sweep.common.mode + (conditions.isEmpty ? "" : " (\(conditions))"))
            }
            return "\(group.key) for \(modes.joined(separator: ", "))"
        }
        return "Over sizes of \(ByteText.mebibytes(smallest)) to \(ByteText.mebibytes(largest)) the peak is "
            + phrases.joined(separator: "; ")
    }

    /// The highest peak of the leading asset against the lowest, without rendering if that was measured.
    private var extremes: String? {
        let summaries = report.run.plan.modes.compactMap { mode in
            report.leadingCase(mode, Case.withoutRendering)
                ?? report.run.plan.renders.first.flatMap {
                    report.leadingCase(mode, $0)
                }
        }
        let peaks = summaries.filter { $0.asset != nil }.compactMap { summary in
            summary.median(of: .peakResidentGrowth).map { (summary: summary, growth: $0) }
        }
        guard let most = peaks.max(by: { $0.growth < $1.growth }), let least = peaks.min(by: { $0.growth < $1.growth })
        else { return nil }
        let circumstances = Self.circumstances(of: most.summary).map(escape).joined(separator: ", ")
        let name = escape(most.summary.cell.mode)
        guard peaks.count > 1 else {
            let copies = most.summary.copies.map { ", \(FigureText.ratio($0)) copies of the file" } ?? ""
            return "\(name) peaks \(FigureText.size(most.growth)) MiB above its start\(copies) (\(circumstances))"
        }
        let difference = most.growth - least.growth
        guard difference >= JudgementRule.interleaved.minimumBytes else {
            let modes =
                peaks.count == 2
                ? peaks.map { escape($0.summary.cell.mode) }.joined(separator: " and ") : "All \(peaks.count) modes"
            return "\(modes) peak alike, within \(FigureText.size(difference)) MiB (\(circumstances))"
        }
        return "\(name) peaks \(FigureText.size(difference)) MiB above \(escape(least.summary.cell.mode)) "
            + "(\(circumstances))"
    }

    /// The asset with its size unless that is its name, the allocator, unusual conditions and the number of trials.
    private static func circumstances(of summary: CaseSummary) -> [String] {
        let cell = summary.cell
        let render = cell.render == Case.withoutRendering ? [] : [cell.render]
        return [summary.assetText] + render + [cell.allocator.rawValue] + cell.conditions.words
            + ["\(summary.completed) trial\(summary.completed == 1 ? "" : "s")"]
    }

    /// The peak growth by mode, without rendering, of the leading asset.
    private var fetching: String? {
        // A scenario has a sentence of its own.
        guard report.leadingConditions.scenario == .none, let asset = report.leadingAsset, let size = asset.byteCount
        else { return nil }
        let phrases = report.run.plan.modes.compactMap { mode -> String? in
            guard let summary = report.leadingCase(mode, Case.withoutRendering), summary.asset != nil,
                let peak = summary.median(of: .peakResidentGrowth),
                let copies = summary.median(of: .copiesHeld)
            else { return nil }
            return "\(escape(mode)) +\(ByteText.mebibytes(peak)) (\(ByteText.fixed(copies, places: 2)) copies)"
        }
        guard !phrases.isEmpty else { return nil }
        let allocator = report.leadingAllocator?.rawValue ?? ""
        let words = report.leadingConditions.words
        let conditions = words.isEmpty ? "" : escape(" (\(words.joined(separator: ", ")))")
        return
            "Fetching \(escape(asset.name)) (\(ByteText.mebibytes(size)))\(conditions) on \(allocator) raised resident "
            + "memory at its peak by: " + phrases.joined(separator: ", ")
    }

    /// The anonymous peak growth with rendering, for modes with both cases.
    private var rendering: String? {
        let phrases = report.run.plan.renders.filter { $0 != Case.withoutRendering }.compactMap { render -> String? in
            let totals = report.run.plan.modes.compactMap { mode -> Double? in
                guard report.leadingCase(mode, Case.withoutRendering)?.asset != nil else { return nil }
                return report.leadingCase(mode, render)?.median(of: .peakAnonymousGrowth)
            }
            guard let low = totals.min(), let high = totals.max() else { return nil }
            let range =
                high - low < 1_048_576
                ? "+" + ByteText.mebibytes(low)
                : "+\(ByteText.mebibytes(low)) to +\(ByteText.mebibytes(high))"
            return "\(escape(render)) \(range)"
        }
        guard !phrases.isEmpty else { return nil }
        return "with rendering, anonymous memory peaked at: " + phrases.joined(separator: ", ")
    }

    /// The peaks of plain commands.
    private var holding: String? { CommandReport(report).flatMap { CommandsSentence($0, escape: escape).text } }

    private var fallback: String {
        let completed = report.cases.reduce(0) { $0 + $1.completed }
        return "\(completed) of \(report.run.trials.count) trials completed; no case has a figure to lead with."
    }
}

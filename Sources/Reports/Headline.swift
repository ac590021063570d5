// SPDX-License-Identifier: Apache-2.0

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

    /// The sentence, which begins with the answer to what a download task saves if the run has it.
    package var text: String {
        guard report.run.plan.fetches else { return holding }
        guard let answer = report.downloadAnswer else {
            return Self.joined([ScenarioSentence(report, escape: escape).text, sweeping, fetching, rendering])
                ?? fallback
        }
        return [DownloadAnswerText(answer, escape: escape).sentence, Self.joined([sweeping])].compactMap(\.self).joined(
            separator: " ")
    }

    private static func joined(_ parts: [String?]) -> String? {
        let parts = parts.compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ") + "."
    }

    /// The slopes by mode, if several sizes were measured.
    private var sweeping: String? {
        let plain = report.sweeps.filter {
            $0.common.render == Case.withoutRendering && $0.common.allocator == report.leadingAllocator
        }
        let sizes = plain.flatMap(\.sizes)
        guard let smallest = sizes.min(), let largest = sizes.max() else { return nil }
        let phrases = plain.map { sweep in
            let conditions = sweep.common.conditionsText
            return escape(sweep.common.mode + (conditions.isEmpty ? "" : " (\(conditions))")) + " "
                + sweep.verdict.words + " (k \(ByteText.fixed(sweep.line.slope, places: 2)))"
        }
        return "Over sizes of \(ByteText.mebibytes(smallest)) to \(ByteText.mebibytes(largest)) the peak is, by mode: "
            + phrases.joined(separator: ", ")
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

    private var holding: String {
        let phrases = report.cases.compactMap { summary in
            summary.median(of: .peakResident).map { "\(escape(summary.cell.title)) \(ByteText.mebibytes($0))" }
        }
        guard !phrases.isEmpty else { return fallback }
        return "At their peaks these commands held, with all that they started: " + phrases.joined(separator: "; ")
            + "."
    }

    private var fallback: String {
        let completed = report.cases.reduce(0) { $0 + $1.completed }
        return "\(completed) of \(report.run.trials.count) trials completed; no case has a figure to lead with."
    }
}

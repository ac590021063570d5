// SPDX-License-Identifier: Apache-2.0

import Runs
import Texts
import TrialKit

/// Notes on the pictures of a run: an unusual view, failed decoding, and costs of decoding besides the pixels.
struct PictureNotes: Sendable {
    /// A note per line, each with its line feed, for a terminal.
    let text: String
    let markdown: String

    init(_ report: Report) {
        let rendering = report.run.plan.settings.rendering
        var lines: [String] = []
        let areShown = report.cases.contains { $0.cell.render != Case.withoutRendering || $0.showsItself }
        if let view = ViewText.unusual(rendering), areShown {
            lines.append("Pictures are shown in a view of \(view) pixels.")
        }
        for summary in report.cases {
            if let fallbacks = Self.fallbacks(of: summary) { lines.append(fallbacks) }
            // The trials of a case decode the same picture, so their notes are the same.
            guard let note = summary.trials.lazy.compactMap({ $0.report?.picture?.note }).first else { continue }
            lines.append("\(summary.cell.identifier): \(note).")
        }
        text = lines.map { SafeText.forTerminal($0) + "\n" }.joined()
        markdown = lines.map { SafeText.forMarkdown($0) + "\n" }.joined()
    }

    /// Returns a note on how many pictures could not be decoded, or `nil` if all could.
    private static func fallbacks(of summary: CaseSummary) -> String? {
        let counts = summary.trials.filter(\.isCompleted).compactMap { $0.report?.picture?.fallbackCount }
        let fallbacks = counts.reduce(0, +)
        guard fallbacks > 0 else { return nil }
        let all = counts.count * summary.cell.conditions.concurrency
        return "\(summary.cell.identifier): \(fallbacks) of \(all) showed the fallback: the body cannot be decoded."
    }
}

// SPDX-License-Identifier: Apache-2.0

import Runs
import Texts
import TrialKit

/// Notes below the table of cases: unusual conditions, an unusual view, failed decoding, costs of decoding.
enum RunNotes {
    static func lines(on report: Report) -> [String] {
        let conditions = Set(report.run.plan.cases.map(\.conditions))
        let unusual = Dimension.all.filter { dimension in conditions.contains { dimension.isUnusual(in: $0) } }
        let areShown = report.cases.contains { $0.cell.render != Case.withoutRendering || $0.showsItself }
        let view = areShown ? ViewText.unusual(report.run.plan.settings.rendering) : nil
        // Their notes mark code as in Markdown, a document is plain text.
        return unusual.map { $0.note.joined(separator: " ").filter { $0 != "`" } }.filter { !$0.isEmpty }
            + (view.map { ["Pictures are shown in a view of \($0) pixels."] } ?? [])
            + report.cases.flatMap { summary in
                // The trials of a case decode the same picture, so their notes are the same.
                let note = summary.trials.lazy.compactMap { $0.report?.picture?.note }.first.map { $0 + "." }
                return [fallbacks(of: summary), note].compactMap(\.self).map { "\(summary.cell.identifier): \($0)" }
            }
    }

    /// Returns how many pictures could not be decoded, or `nil` if all could.
    private static func fallbacks(of summary: CaseSummary) -> String? {
        let counts = summary.trials.filter(\.isCompleted).compactMap { $0.report?.picture?.fallbackCount }
        let fallbacks = counts.reduce(0, +)
        guard fallbacks > 0 else { return nil }
        let all = counts.count * summary.cell.conditions.concurrency
        return "\(fallbacks) of \(all) showed the fallback: the body cannot be decoded."
    }
}

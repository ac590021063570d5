// SPDX-License-Identifier: Apache-2.0

import Support
import TrialKit

/// What a reader has to know of the pictures of a run: an unusual view, and what decoding has cost beside the pixels.
struct PictureNotes: Sendable {
    /// One note a line, each with its end; for a terminal.
    let text: String
    /// The same for Markdown.
    let markdown: String

    init(_ report: Report) {
        let rendering = report.run.plan.settings.rendering
        var lines: [String] = []
        if ViewText.isUnusual(rendering), report.cases.contains(where: { $0.cell.render != "none" }) {
            lines.append("Pictures are shown in a view of \(ViewText.text(of: rendering)) pixels.")
        }
        for summary in report.cases {
            // The trials of a case decode the same picture, so that they say the same.
            guard let note = summary.trials.lazy.compactMap({ $0.report?.picture?.note }).first else { continue }
            lines.append("\(summary.cell.identifier): \(note).")
        }
        text = lines.map { SafeText.forTerminal($0) + "\n" }.joined()
        markdown = lines.map { SafeText.forMarkdown($0) + "\n" }.joined()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Runs
import Texts
import TrialKit

/// The answer to what a download task saves, as a sentence and a table, for Markdown and the terminal.
struct DownloadAnswerText: Sendable {
    private let answer: DownloadAnswer
    /// The published figures; `nil` if this answer is about another kind of asset.
    private let published: PublishedFigures?
    private let escape: @Sendable (String) -> String

    /// Takes an answer and the escaping of the output format for text from outside.
    init(_ answer: DownloadAnswer, escape: @escaping @Sendable (String) -> String = SafeText.forMarkdown) {
        self.answer = answer
        let picture = answer.rendered.data.trials.first { $0.isCompleted }?.report?.picture
        let isLike = PublishedFigures.iOS.areComparable(with: picture, encodedIn: answer.asset.byteCount)
        published = isLike ? .iOS : nil
        self.escape = escape
    }

    var sentence: String {
        let savings = [answer.plain, answer.rendered].map { $0.saving(of: .peakAnonymousGrowth) }
        let size = answer.asset.byteCount.map { " (\(ByteText.mebibytes($0)))" } ?? ""
        return "A download task \(Self.claim(without: savings[0], with: savings[1])): anonymous memory at its peak, "
            + "\(escape(answer.asset.name))\(size) on \(escape(answer.circumstances.joined(separator: ", ")))."
    }

    static func claim(without plain: DownloadAnswer.Saving?, with rendered: DownloadAnswer.Saving?) -> String {
        if plain?.verdict == .same, rendered?.verdict == .same {
            return "saves nothing measurable, neither without rendering nor with it"
        }
        let first = words(of: plain)
        let second = words(of: rendered)
        let verb = first.verb == second.verb ? "" : second.verb + " "
        return "\(first.verb) \(first.amount) without rendering and \(verb)\(second.amount) with it"
    }

    private static func words(of saving: DownloadAnswer.Saving?) -> (verb: String, amount: String) {
        guard let saving, saving.verdict != .same else { return ("saves", "nothing that the trials show") }
        return saving.verdict == .saves
            ? ("saves", amount(saving)) : ("holds", FigureText.size(-saving.bytes) + " MiB more than a data task")
    }

    /// `24.96 MiB (99.8 %)`.
    private static func amount(_ saving: DownloadAnswer.Saving) -> String {
        let share = saving.ratio.map { " (\(ByteText.fixed($0 * 100, places: 1)) %)" } ?? ""
        return FigureText.size(saving.bytes) + " MiB" + share
    }

    /// The four cases and the savings: base, total and growth, anonymous first, and k, beside the one derived from
    /// published figures for a picture like theirs.
    var table: TextTable {
        var table = TextTable(
            [
                "MiB", "anonymous: base", "total", "growth", "resident: base", "total", "growth", "k",
            ] + (published.map { [$0.heading] } ?? []), words: 1)
        for (tasks, suffix) in [(answer.plain, ""), (answer.rendered, " + rendering")] {
            table.rows.append(row("data task" + suffix, tasks.data, rendered: !suffix.isEmpty))
            table.rows.append(row("download task" + suffix, tasks.download, rendered: !suffix.isEmpty))
            table.rows.append(saved("saved" + suffix, tasks))
        }
        return table
    }

    private func row(_ label: String, _ summary: CaseSummary, rendered: Bool) -> [String] {
        [
            label, FigureText.size(summary.median(of: .baselineAnonymous)),
            FigureText.size(summary.median(of: .peakAnonymous)),
            FigureText.growth(summary.median(of: .peakAnonymousGrowth)),
            FigureText.size(summary.median(of: .baselineResident)),
            FigureText.size(summary.median(of: .peakResident)),
            FigureText.growth(summary.median(of: .peakResidentGrowth)), FigureText.ratio(summary.copies),
        ] + (published.map { [FigureText.ratio($0.copies(of: summary.cell.mode, rendered: rendered))] } ?? [])
    }

    private func saved(_ label: String, _ tasks: DownloadAnswer.Tasks) -> [String] {
        let savings = [Metric.peakAnonymousGrowth, .peakResidentGrowth].map { tasks.saving(of: $0) }
        let none = FigureText.absent
        return [label, none, none, Self.figure(savings[0]), none, none, Self.figure(savings[1]), none]
            + (published == nil ? [] : [none])
    }

    private static func figure(_ saving: DownloadAnswer.Saving?) -> String {
        guard let saving else { return FigureText.absent }
        let share = saving.ratio.map { " (\(ByteText.fixed($0 * 100, places: 1)) %)" } ?? ""
        return FigureText.size(saving.bytes) + share
    }

    var note: String {
        """
        Medians. Base: at the mark before the fetch, with rendering the framebuffer among it; total: at the peak; growth:
        total minus base; saved: how much less the download task grew, absolutely and relative to the data task.
        **Anonymous** memory stands first: the kernel cannot drop it. Resident memory has pages of files, too, the fetched
        file's among them, which the kernel can drop. **k**: encoded copies held, that is peak growth ÷ asset size; with
        rendering (anonymous memory − bitmap while the picture is shown) ÷ asset size.

        """ + paragraph(published.map { $0.explanation + $0.inference + comparison(with: $0) }, prefix: "> ")
    }

    /// Lines behind an empty one; nothing for none.
    private func paragraph(_ lines: [String]?, prefix: String = "") -> String {
        lines.map { "\n" + $0.map { prefix + $0 }.joined(separator: "\n") + "\n" } ?? ""
    }

    /// The paragraphs of a page about the published figures; none for another kind of asset.
    var publishedParagraphs: [String] {
        let parts = published.map { [$0.explanation, $0.inference, comparison(with: $0)] } ?? []
        return parts.map { $0.joined(separator: " ") }
    }

    /// The published savings beside those of this answer, and the likely reason for a difference.
    private func comparison(with published: PublishedFigures) -> [String] {
        let tasks = [answer.plain, answer.rendered]
        let savings = tasks.map { FigureText.size($0.saving(of: .peakAnonymousGrowth)?.bytes) }
        let copies = tasks.map { FigureText.ratio($0.data.copies) }
        return [
            "Published savings of a download task: \(published.savings). Here: \(savings[0]) and \(savings[1]) MiB.",
            "Likely reason for the difference: the published figures fit readings of a settled state; ours are peaks.",
            "The second copy of a data task lives only while it is handed over: it is in the peak without rendering and gone",
            "before the bitmap's peak (k of the data task here: \(copies[0]), with rendering \(copies[1])).",
        ]
    }
}

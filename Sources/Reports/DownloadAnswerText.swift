// SPDX-License-Identifier: Apache-2.0

import Runs
import Texts

/// The answer to what a download task saves, as a sentence and a table, for Markdown and the terminal.
struct DownloadAnswerText: Sendable {
    private let answer: DownloadAnswer
    private let published = PublishedFigures.iOS
    private let escape: @Sendable (String) -> String

    /// Takes an answer and the escaping of the output format for text from outside.
    init(_ answer: DownloadAnswer, escape: @escaping @Sendable (String) -> String = SafeText.forMarkdown) {
        self.answer = answer
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
            return "saves nothing that the trials show, neither without rendering nor with it"
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

    /// The four cases and the savings: base, total and growth, anonymous first, and k beside the published one.
    var table: TextTable {
        var table = TextTable(
            [
                "MiB", "anonymous: base", "total", "growth", "resident: base", "total", "growth", "k",
                "k published, \(published.system)",
            ], words: 1)
        for (tasks, suffix) in [(answer.plain, ""), (answer.rendered, " + rendering")] {
            table.rows.append(row("data task" + suffix, tasks.data))
            table.rows.append(row("download task" + suffix, tasks.download))
            table.rows.append(saved("saved" + suffix, tasks))
        }
        return table
    }

    private func row(_ label: String, _ summary: CaseSummary) -> [String] {
        [
            label, FigureText.size(summary.median(of: .baselineAnonymous)),
            FigureText.size(summary.median(of: .peakAnonymous)),
            FigureText.growth(summary.median(of: .peakAnonymousGrowth)),
            FigureText.size(summary.median(of: .baselineResident)),
            FigureText.size(summary.median(of: .peakResident)),
            FigureText.growth(summary.median(of: .peakResidentGrowth)), FigureText.ratio(summary.copies),
            published.copies(of: summary.cell.mode).map(String.init) ?? FigureText.absent,
        ]
    }

    private func saved(_ label: String, _ tasks: DownloadAnswer.Tasks) -> [String] {
        let savings = [Metric.peakAnonymousGrowth, .peakResidentGrowth].map { tasks.saving(of: $0) }
        let none = FigureText.absent
        return [label, none, none, Self.figure(savings[0]), none, none, Self.figure(savings[1]), none, none]
    }

    private static func figure(_ saving: DownloadAnswer.Saving?) -> String {
        guard let saving else { return FigureText.absent }
        let share = saving.ratio.map { " (\(ByteText.fixed($0 * 100, places: 1)) %)" } ?? ""
        return FigureText.size(saving.bytes) + share
    }

    var note: String {
        """
        Medians. Base: at the mark before the fetch, with rendering the framebuffer among it; total: at the peak; growth:
        what that is more; saved: how much less the download task grew, and what share of the data task's growth that is.
        **Anonymous** memory stands first: that is what the gauge counts that the published figures were read from.
        Resident memory has pages of files, too, the fetched file's among them, which the kernel can drop. **k**: encoded
        copies held, that is peak growth ÷ asset size; with rendering what anonymous memory holds beside the bitmap while
        the picture is shown, ÷ asset size.

        > **k published** is from \(published.source):
        > \(published.picture).
        > Published: \(published.growths).
        > Taken apart, in MiB: \(published.decompositions).
        > What can be carried from one system to another is k, the copies, not the megabytes: so k alone stands beside ours.

        """
    }

    var legend: String {
        """
        Medians; base: at the mark before the fetch, with rendering the framebuffer among it; total: at the peak. Anonymous
        memory is what the published gauge counts; resident memory has pages of files, too, which the kernel can drop.
        k published: \(published.source).

        """
    }
}

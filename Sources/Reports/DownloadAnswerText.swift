// SPDX-License-Identifier: Apache-2.0

import Runs

struct DownloadAnswerText: Sendable {
    private let answer: DownloadAnswer
    /// The published figures; `nil` if this answer is about another kind of asset.
    private let published: PublishedFigures?

    init(_ answer: DownloadAnswer) {
        self.answer = answer
        let picture = answer.rendered.data.trials.first { $0.isCompleted }?.report?.picture
        let isLike = PublishedFigures.iOS.areComparable(with: picture, encodedIn: answer.asset.byteCount)
        published = isLike ? .iOS : nil
    }

    var sentence: String {
        let savings = [answer.plain, answer.rendered].map { $0.saving(of: answer.growth) }
        let gauge =
            answer.growth.name == Metric.chargedGrowth.name
            ? "the highest charge, since files are memory here" : "anonymous memory at its peak"
        let size = answer.asset.byteCount.map { " (\(ByteText.mebibytes($0)))" } ?? ""
        return "A download task \(Self.claim(without: savings[0], with: savings[1])): \(gauge), "
            + "\(answer.asset.name)\(size) on \(answer.circumstances.joined(separator: ", "))"
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
            ? ("saves", amount(saving, " MiB"))
            : ("holds", FigureText.size(-saving.bytes) + " MiB more than a data task")
    }

    /// `24.96 (99.8 %)`, the size with its unit if it has one.
    private static func amount(_ saving: DownloadAnswer.Saving, _ unit: String = "") -> String {
        FigureText.size(saving.bytes) + unit
            + (saving.ratio.map { " (\(ByteText.fixed($0 * 100, places: 1)) %)" } ?? "")
    }

    /// The four cases and the savings: base, total and growth, anonymous first, and copies, beside those derived from
    /// published figures for a picture like theirs.
    var table: TextTable {
        var table = TextTable(
            [
                "MiB", "anonymous: base", "total", "growth", "resident: base", "total", "growth", "copies",
            ] + (published.map { [$0.heading] } ?? []), words: 1)
        for (tasks, suffix) in [(answer.plain, ""), (answer.rendered, " + rendering")] {
            for (label, summary) in [("data task", tasks.data), ("download task", tasks.download)] {
                table.rows.append(row(label + suffix, summary, rendered: !suffix.isEmpty))
            }
            let savings = [Metric.peakAnonymousGrowth, .peakResidentGrowth].map { metric in
                tasks.saving(of: metric).map { Self.amount($0) } ?? FigureText.absent
            }
            let none = FigureText.absent
            table.rows.append(
                ["saved" + suffix, none, none, savings[0], none, none, savings[1], none]
                    + (published == nil ? [] : [none]))
        }
        return table
    }

    private func row(_ label: String, _ summary: CaseSummary, rendered: Bool) -> [String] {
        [
            label, FigureText.size(summary.median(of: .baselineAnonymous)),
            FigureText.size(summary.median(of: .peakAnonymous)),
            FigureText.growth(summary.median(of: .peakAnonymousGrowth)),
            FigureText.size(summary.median(of: .baselineResident)), FigureText.size(summary.median(of: .peakResident)),
            FigureText.growth(summary.median(of: .peakResidentGrowth)),
            FigureText.ratio(copies(summary, rendered: rendered)),
        ] + (published.map { [FigureText.ratio($0.copies(of: summary.cell.mode, rendered: rendered))] } ?? [])
    }

    private func copies(_ summary: CaseSummary, rendered: Bool) -> Double? {
        rendered ? summary.median(of: .copiesBesideBitmap) : summary.copies
    }

    /// The meaning of the columns, and the published figures if the picture is like theirs.
    var legend: [String] {
        let parts = published.map { [$0.explanation, comparison(with: $0)] } ?? []
        return [
            "Medians. Base: at the mark before the fetch, with rendering the framebuffer among it; total: at the peak; growth: "
                + "total minus base; saved: how much less the download task grew, absolutely and relative to the data task. "
                + "Anonymous memory comes first: the kernel cannot drop it. Resident memory includes pages of files, which it "
                + "can drop. Copies: of the encoded file, without rendering at the peak of the fetch (k); with rendering those left "
                + "while the picture is shown, (anonymous memory − bitmap) ÷ asset size."
        ] + parts.map { $0.joined(separator: " ") }
    }

    /// The published megabytes and savings beside ours, for a picture like theirs.
    var megabytes: [String] {
        published.map { ["Published for \($0.system), about: \($0.megabytes) (\($0.site)).", comparison(with: $0)[0]] }
            ?? []
    }

    /// The published savings beside those of this answer, and the likely reason for a difference.
    private func comparison(with published: PublishedFigures) -> [String] {
        let tasks = [answer.plain, answer.rendered]
        let savings = tasks.map { FigureText.size($0.saving(of: answer.growth)?.bytes) }
        let copies = [(answer.plain, false), (answer.rendered, true)].map {
            FigureText.ratio(self.copies($0.0.data, rendered: $0.1))
        }
        return [
            "Published savings of a download task: \(published.savings). Here: \(savings[0]) and \(savings[1]) MiB.",
            "Likely reason for the difference: the published figures fit readings of a settled state; ours are peaks.",
            "The second copy of a data task lives only while it is handed over: it is in the peak without rendering and gone",
            "before the bitmap's peak (copies of the data task here: \(copies[0]), with rendering \(copies[1])).",
        ]
    }
}

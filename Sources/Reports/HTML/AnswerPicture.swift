// SPDX-License-Identifier: Apache-2.0

import Charts
import MemProbe
import Runs
import Texts

/// The answer to what a download task saves, as a chart of four bars.
struct AnswerPicture: Sendable {
    private let report: Report
    private let answer: DownloadAnswer?

    init(_ report: Report) {
        self.report = report
        answer = report.downloadAnswer
    }

    /// The picture, or `nil` if one of the four cases was not measured.
    var picture: Picture? {
        guard let answer else { return nil }
        let tasks: [(label: String, summary: CaseSummary)] = [
            ("data", answer.plain.data), ("data + rendering", answer.rendered.data),
            ("download", answer.plain.download), ("download + rendering", answer.rendered.download),
        ]
        let spoken = tasks.map { task in
            let total = FigureText.growth(task.summary.median(of: .peakResidentGrowth))
            let anonymous = FigureText.growth(task.summary.median(of: .peakAnonymousGrowth))
            return "\(task.label): \(total) MiB, of it anonymous \(anonymous) MiB"
        }
        return BarChart(
            title: "Peak memory of fetching \(SafeText.forTerminal(answer.asset.name))",
            summary: spoken.joined(separator: "; ") + ".", axis: "peak growth, MiB",
            rows: tasks.map { bar($0.label, $0.summary, of: answer.asset) }
        ).picture
    }

    var section: HTMLSection {
        var section = HTMLSection("answer", "The answer")
        guard let answer, let picture else {
            section.paragraphs = [
                "No picture of the answer: it needs trials of data and download, each without rendering and with "
                    + "\(DownloadAnswer.withRendering)."
            ]
            return section
        }
        let text = DownloadAnswerText(answer, escape: SafeText.forTerminal)
        section.paragraphs = text.publishedParagraphs
        section.figures = [
            HTMLFigure(
                picture: picture,
                caption:
                    "Medians of the peak growth. Below each bar: the decoded bitmap and each encoded copy of the asset in "
                    + "anonymous memory (k). File-backed pages are those of the fetched file, mapped for decoding; the kernel "
                    + "can drop them.")
        ]
        section.tables = [
            HTMLTable(caption: "Medians, in MiB; saved: how much less the download task grew", table: text.table)
        ]
        return section
    }

    private func bar(_ label: String, _ summary: CaseSummary, of asset: Asset) -> BarChart.Row {
        let mebibyte = 1_048_576.0
        let total = (summary.median(of: .peakResidentGrowth) ?? 0) / mebibyte
        let anonymous = min(total, (summary.median(of: .peakAnonymousGrowth) ?? 0) / mebibyte)
        // Smaller differences come from the kernel's batched counters, not from mapped files.
        let file = total - anonymous > 0.02 ? total - anonymous : 0
        var rulers: [(ruler: BarChart.Ruler, value: Double, label: String)] = []
        if let bitmap = summary.median(of: .bitmap), bitmap > 0 {
            rulers.append((.bitmap, bitmap / mebibyte, "bitmap \(ByteText.fixed(bitmap / mebibyte, places: 2))"))
        }
        if let copies = summary.copies, let size = asset.byteCount {
            rulers += Self.copies(copies, of: Double(size.rawValue) / mebibyte)
        }
        return BarChart.Row(
            label, parts: [(.anonymous, anonymous), (.file, file)], rulers: rulers,
            note: FigureText.growth(summary.median(of: .peakResidentGrowth)) + " MiB")
    }

    /// Returns a ruler for each encoded copy, and for a significant part of one.
    private static func copies(
        _ count: Double, of size: Double
    ) -> [(ruler: BarChart.Ruler, value: Double, label: String)] {
        let whole = Int(min(max(0, count.rounded()), 20))
        let isWhole = abs(count - count.rounded()) < SizeSweep.tolerance
        var rulers = (0..<(isWhole ? whole : Int(min(max(0, count), 20)))).map { index in
            (ruler: BarChart.Ruler.copy, value: size, label: "copy \(index + 1)")
        }
        if !isWhole, count > 0, count < 20 {
            let part = count - count.rounded(.down)
            rulers.append((.copy, size * part, "\(ByteText.fixed(part, places: 2)) of a copy"))
        }
        return rulers
    }
}

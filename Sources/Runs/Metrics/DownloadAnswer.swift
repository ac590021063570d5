// SPDX-License-Identifier: Apache-2.0

/// The memory that a download task saves compared to a data task, with and without rendering.
///
/// It is the original question of this comparison, answered by four cases.
package struct DownloadAnswer: Sendable {
    package static let modes = ["data", "download"]
    /// The render model of the cases that show a picture.
    package static let withRendering = "imageview"
    package static let renders = [Case.withoutRendering, withRendering]

    package let asset: Asset
    package let circumstances: [String]
    /// The growth of anonymous memory, or of the charge where the file of a download task is memory.
    package let growth: Metric
    package let plain: Tasks
    package let rendered: Tasks

    init?(about asset: Asset, in report: Report) {
        func tasks(_ render: String) -> Tasks? {
            let cases = Self.modes.map { report.leadingCase($0, render, of: asset) }
            guard let data = cases[0], let download = cases[1] else { return nil }
            return Tasks(data: data, download: download)
        }
        // Scenarios measure something else than a fetch.
        guard report.leadingConditions.scenario == .none else { return nil }
        guard let plain = tasks(Case.withoutRendering), let rendered = tasks(Self.withRendering) else { return nil }
        (self.asset, self.plain, self.rendered) = (asset, plain, rendered)
        growth = report.growthWithFiles ?? .peakAnonymousGrowth
        circumstances = [plain.data.cell.allocator.rawValue] + plain.data.cell.conditions.words
    }
}

extension DownloadAnswer {
    package struct Tasks: Sendable {
        package let data: CaseSummary
        package let download: CaseSummary

        init?(data: CaseSummary, download: CaseSummary) {
            guard [data, download].allSatisfy({ $0.median(of: .peakAnonymousGrowth) != nil }),
                data.host == download.host
            else { return nil }
            (self.data, self.download) = (data, download)
        }

        package func saving(of metric: Metric) -> Saving? {
            guard let data = data.values(of: metric), let download = download.values(of: metric) else { return nil }
            return Saving(from: data, to: download)
        }
    }

    package struct Saving: Hashable, Sendable {
        package enum Verdict: Hashable, Sendable {
            case saves
            case same
            case costs
        }

        /// The difference of the medians in bytes, negative if the second is more.
        package let bytes: Double
        package let ratio: Double?
        package let verdict: Verdict

        /// The number of median absolute deviations of both that a difference has to exceed.
        private static let deviations = 3.0

        init(from first: Distribution, to second: Distribution) {
            bytes = first.median - second.median
            ratio = first.median > 0 ? bytes / first.median : nil
            let spread = first.medianAbsoluteDeviation + second.medianAbsoluteDeviation
            let counts = abs(bytes) > max(JudgementRule.interleaved.minimumBytes, Self.deviations * spread)
            verdict = !counts ? .same : bytes > 0 ? .saves : .costs
        }
    }
}

extension Report {
    /// The growth of the charge where trials fetched to files in memory, which no process holds; otherwise `nil`, and if
    /// a case has no charge.
    package var growthWithFiles: Metric? {
        guard run.environment.fileSystemInMemory != nil else { return nil }
        let completed = cases.filter { $0.asset != nil && $0.completed > 0 }
        return completed.allSatisfy { $0.median(of: .chargedGrowth) != nil } ? .chargedGrowth : nil
    }

    /// The saving of a download task, preferably for the leading asset; `nil` if a case is missing.
    package var downloadAnswer: DownloadAnswer? {
        let assets = (leadingAsset.map { [$0] } ?? []) + run.plan.assets
        return assets.lazy.compactMap { DownloadAnswer(about: $0, in: self) }.first
    }

    /// The reason why rendering failed, of the first such trial; `nil` without one.
    package var obstacleToRendering: String? {
        run.trials.first { $0.report?.failure?.phase == .render }?.outcome.detail
    }
}

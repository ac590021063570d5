// SPDX-License-Identifier: Apache-2.0

import Statistics
import TrialKit

/// What a download task saves against a data task, without rendering and with it: the question that made this comparison
/// famous, answered by four cases.
package struct DownloadAnswer: Sendable {
    /// The modes that are compared, what memory is saved against first.
    package static let modes = ["data", "download"]
    /// The render model that stands for showing a picture.
    package static let withRendering = "imageview"
    /// The render models: none, and that one.
    package static let renders = [Case.withoutRendering, withRendering]

    /// What was fetched.
    package let asset: Asset
    /// On what and how: the allocator, and the conditions where they are not the usual ones.
    package let circumstances: [String]
    /// Both tasks without rendering.
    package let plain: Tasks
    /// Both tasks with rendering.
    package let rendered: Tasks

    /// The answer that a report has about an asset, or `nil` where one of the four cases has no figure.
    init?(about asset: Asset, in report: Report) {
        func tasks(_ render: String) -> Tasks? {
            let cases = Self.modes.map { report.leadingCase($0, render, of: asset) }
            guard let data = cases[0], let download = cases[1] else { return nil }
            return Tasks(data: data, download: download)
        }
        // A scenario is another question, whoever fetches in it.
        guard report.leadingConditions.scenario == .none else { return nil }
        guard let plain = tasks(Case.withoutRendering), let rendered = tasks(Self.withRendering) else { return nil }
        self.asset = asset
        self.plain = plain
        self.rendered = rendered
        circumstances = [plain.data.cell.allocator.rawValue] + plain.data.cell.conditions.words
    }
}

extension DownloadAnswer {
    /// The two tasks with the same render model.
    package struct Tasks: Sendable {
        /// The case of the data task.
        package let data: CaseSummary
        /// The case of the download task.
        package let download: CaseSummary

        init?(data: CaseSummary, download: CaseSummary) {
            guard [data, download].allSatisfy({ $0.median(of: .peakAnonymousGrowth) != nil }) else { return nil }
            self.data = data
            self.download = download
        }

        /// What the download task saves of a growth; `nil` where one of them has no such figure.
        package func saving(of metric: Metric) -> Saving? {
            guard let data = data.values(of: metric), let download = download.values(of: metric) else { return nil }
            return Saving(from: data, to: download)
        }
    }

    /// How much less one of two figures is.
    package struct Saving: Hashable, Sendable {
        /// What a difference says.
        package enum Verdict: Hashable, Sendable {
            /// The second is less.
            case saves
            /// The trials show no difference.
            case same
            /// The second is more.
            case costs
        }

        /// The difference of the medians in bytes, negative where the second is more.
        package let bytes: Double
        /// The difference relative to the first, or `nil` where that is nothing.
        package let ratio: Double?
        /// What it says.
        package let verdict: Verdict

        /// How many median absolute deviations of both a difference has to exceed.
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
    /// The answer to what a download task saves, about the leading asset where that has one; `nil` where a case is missing.
    package var downloadAnswer: DownloadAnswer? {
        let assets = (leadingAsset.map { [$0] } ?? []) + run.plan.assets
        return assets.lazy.compactMap { DownloadAnswer(about: $0, in: self) }.first
    }
}

extension Report {
    /// Why what was fetched could not be rendered, in the words of the first trial that says so; `nil` where none does.
    package var obstacleToRendering: String? {
        run.trials.first { $0.report?.failure?.phase == .render }?.outcome.detail
    }
}

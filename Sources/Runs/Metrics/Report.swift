// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Statistics
package import TrialKit

/// A run, digested for whoever draws it: every renderer is a function of this value.
package struct Report: Sendable {
    /// The run.
    package let run: RunRecord
    /// Its cases in the order of the plan.
    package let cases: [CaseSummary]
    /// Those that are no plain commands.
    package var fetched: [CaseSummary] { cases.filter { !$0.cell.isPlain } }
    /// Its sweeps of sizes, in the order of the plan.
    package let sweeps: [SizeSweep]
    /// The figures of its trials.
    package let metrics: MetricCatalog
    /// The folder that has the series of the trials and their explanations; `nil` where there is none.
    package let folder: RunFolder?

    /// Digests a run.
    /// - Parameter folder: where it is stored, for who draws the series of its trials and who holds their peaks.
    package init(_ run: RunRecord, in folder: RunFolder? = nil) {
        self.run = run
        self.folder = folder
        metrics = run.metrics
        let byCase = run.trialsByCase
        cases = run.plan.cases.map { cell in
            CaseSummary(cell: cell, asset: run.plan.asset(of: cell), trials: byCase[cell] ?? TrialList([]))
        }
        sweeps = SizeSweep.all(in: run, trials: byCase)
    }

    /// The allocator of the short tables: the C library's own where it was measured.
    package var leadingAllocator: AllocatorArm? {
        run.plan.allocators.first { $0 == .glibc } ?? run.plan.allocators.first
    }

    /// The asset of the short tables: the first one, or the largest of a sweep.
    package var leadingAsset: Asset? {
        guard let largest = sweeps.first?.cases.last else { return run.plan.assets.first }
        return run.plan.asset(of: largest)
    }

    /// The conditions of the short tables: the usual ones where they were measured.
    package var leadingConditions: FetchConditions {
        let measured = run.plan.cases.filter { $0.asset != Case.nullAsset }.map(\.conditions)
        return measured.contains(.standard) ? .standard : measured.first ?? .standard
    }

    /// The case of the short tables for a mode and a render model, or `nil` where it was not measured.
    /// - Parameter asset: what it fetched, or `nil` for the leading asset.
    package func leadingCase(_ mode: String, _ render: String, of asset: Asset? = nil) -> CaseSummary? {
        let name = (asset ?? leadingAsset)?.name
        return cases.first {
            $0.cell.mode == mode && $0.cell.render == render && $0.cell.allocator == leadingAllocator
                && ($0.cell.asset == Case.nullAsset
                    || $0.cell.asset == name && $0.cell.conditions == leadingConditions)
        }
    }
}

/// The trials of one case.
package struct CaseSummary: Sendable {
    /// The case.
    package let cell: Case
    /// What it fetched, or `nil` in the null case.
    package let asset: Asset?
    /// All its trials, completed or not.
    package let trials: TrialList

    /// How many trials completed.
    package var completed: Int { trials.count { $0.isCompleted } }

    /// How many did not.
    package var failed: Int { trials.count - completed }

    /// A figure over the completed trials, or `nil` where none has it.
    package func values(of metric: Metric) -> Distribution? {
        metric.distribution(over: trials)
    }

    /// The encoded copies held, the k of every table: where a picture is shown those beside the bitmap, because peak
    /// growth ÷ asset size would count the bitmap in encoded copies.
    package var copies: Double? {
        median(of: cell.render != Case.withoutRendering || showsItself ? .copiesBesideBitmap : .copiesHeld)
    }

    /// Whether its mode shows pictures by itself, without a render model.
    package var showsItself: Bool {
        trials.contains { $0.report?.picture?.fallbackCount != nil }
    }

    /// The median of a figure, or `nil` where no trial has it.
    package func median(of metric: Metric) -> Double? {
        values(of: metric)?.median
    }
}

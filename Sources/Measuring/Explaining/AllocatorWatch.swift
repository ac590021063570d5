// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Records the allocator's series of a plan's cases, in one further trial for each, which is not measured.
package struct AllocatorWatch: Sendable {
    /// The time between two readings, each of which takes up to 6 µs for each of jemalloc's arenas.
    private static let interval = 5_000_000
    /// Above the numbers of any plan, so that no folder's name is taken.
    private static let firstTrial = 950_000

    private let plan: Plan
    private let inputs: TrialInputs
    private let executor: TrialExecutor

    package typealias Entry = (cell: Case, curve: Result<AllocatorCurve, FetchBenchError>)

    private init(_ plan: Plan, _ inputs: TrialInputs) throws {
        var inputs = inputs
        inputs.allocatorSeriesNanoseconds = Self.interval
        (self.plan, self.inputs) = (plan, inputs)
        executor = try TrialExecutor(plan, inputs)
    }

    package static func entries(
        of plan: Plan, _ inputs: TrialInputs, onBegin: @escaping ExtraTrialListener
    ) async throws -> [Entry] {
        let cells = plan.fetchingCases
        return try await inputs.hosted(for: plan) { inputs in
            let watch = try AllocatorWatch(plan, inputs)
            var entries: [Entry] = []
            for (index, cell) in cells.enumerated() {
                try Task.checkCancellation()
                onBegin(cell, index + 1, cells.count)
                entries.append((cell, try await watch.curve(of: cell, number: index)))
            }
            return entries
        }
    }

    private func curve(of cell: Case, number: Int) async throws -> Result<AllocatorCurve, FetchBenchError> {
        if let reason = obstacle(of: cell) { return .failure(FetchBenchError(reason)) }
        let slot = Plan.Slot(trial: Self.firstTrial + number, cell: cell, seed: plan.seed)
        let trial = try await executor.trial(for: slot).trial
        // A cancelled trial has not failed.
        try Task.checkCancellation()
        guard trial.isCompleted else {
            return .failure(FetchBenchError("its trial \(trial.outcome.kind.rawValue): \(trial.outcome.detail)"))
        }
        guard let curve = AllocatorCurve(trial) else {
            return .failure(FetchBenchError("its allocator has no statistics"))
        }
        return .success(curve)
    }

    private func obstacle(of cell: Case) -> String? {
        guard inputs.commands[cell.mode] == nil, plan.command(of: cell) == nil else {
            return "the allocator of a command cannot be read from outside"
        }
        guard let program = inputs.programs.executable(for: cell) else { return "its program is missing" }
        let newest = program.description.protocols.upperBound
        guard newest < AllocatorSeries.documentVersion else { return nil }
        return
            "its program supports version \(newest) of the trial protocol, and a series needs version "
            + "\(AllocatorSeries.documentVersion): rebuild it"
    }
}

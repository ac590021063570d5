// SPDX-License-Identifier: Apache-2.0

import Measuring
import OperatingSystem
import Profiles
import Reports
import Runs

/// Work after the trials of a run, in extra trials that are not measured.
enum RunExtra: String, CaseIterable {
    /// Explain who holds the peak of each case: `explain.json`.
    case explain
    /// Record the allocator's series of each case: `allocator.csv`.
    case allocatorSeries = "allocator-series"

    /// The flag that asks for it, also when a run is resumed.
    var flag: String { "--" + rawValue }
}

extension RunDelivery {
    /// Does what was asked for after the trials of a run, and renders its reports again.
    /// - Throws: ``ExitStatus`` if it was interrupted; the run itself is complete.
    func addExtras(to run: RunRecord, _ session: Session, _ inputs: TrialInputs) async throws {
        for (index, extra) in extras.enumerated() {
            do {
                switch extra {
                case .explain: try await explain(run, session, inputs)
                case .allocatorSeries: try await recordAllocatorSeries(of: run, session, inputs)
                }
            } catch is CancellationError {
                let words = resumedBy ?? ["fetchbench", "run", "--resume"]
                let again = words + [ShellWord.pasted(session.folder.path)] + extras[index...].map(\.flag)
                Console.note(
                    "interrupted; the run is complete and stored in \(session.folder.path). For the rest: "
                        + again.joined(separator: " "))
                throw ExitStatus.interrupted
            }
        }
    }

    /// Explains every case, writes `explain.json`, and prints a table for each case.
    private func explain(_ run: RunRecord, _ session: Session, _ inputs: TrialInputs) async throws {
        let record = try await withProgress("preparing to explain", of: .explain) { display in
            try await run.plan.explained(inputs) { display.began("explaining", $0, $1, of: $2) }
        }
        try RunStore.write(record, to: session.folder)
        try render(run, in: session.folder)
        try ExplanationDelivery(formats: [ProfileFormats.all[0]], output: nil).deliver(record)
        for entry in record.entries {
            if let obstacle = entry.obstacle { Console.warn("\(entry.cell) cannot be explained: \(obstacle)") }
        }
    }

    /// Records the allocator's series of every case, writes `allocator.csv`, and prints who keeps the memory.
    private func recordAllocatorSeries(
        of run: RunRecord, _ session: Session, _ inputs: TrialInputs
    ) async throws {
        let entries = try await withProgress("preparing the allocator's series", of: .allocatorSeries) { display in
            try await AllocatorWatch.entries(of: run.plan, inputs) {
                display.began("allocator's series", $0, $1, of: $2)
            }
        }
        let curves = entries.compactMap { try? $0.curve.get() }
        try AllocatorCurve.write(curves, to: session.folder)
        try render(run, in: session.folder)
        if let section = AllocatorSection(curves) { try Console.answer(section.plain) }
        for entry in entries {
            guard case .failure(let obstacle) = entry.curve else { continue }
            Console.warn("\(entry.cell.identifier) has no allocator's series: \(obstacle.reason)")
        }
    }

    private func withProgress<Value: Sendable>(
        _ activity: String, of extra: RunExtra,
        _ work: @escaping @Sendable (ProgressDisplay) async throws -> Value
    ) async throws -> Value {
        let display = ProgressDisplay(.here(isShown: showsProgress), activity)
        defer { display.finish() }
        return try await Interrupt.whileListening(isContinued: extra != extras.last) { try await work(display) }
    }

    /// Renders again what shows the extras.
    private func render(_ run: RunRecord, in folder: RunFolder) throws(FetchBenchError) {
        try folder.write(
            try Report(run, in: folder), drawnBy: Formats.ofRuns.filter { [.page, .report].contains($0.file) })
    }
}

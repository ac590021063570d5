// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Judging
import Profiles
import Reports

/// Measures the run of one plan, prints it, and ends with its exit status.
struct RunDelivery {
    let isQuiet: Bool
    let showsProgress: Bool
    let formats: [any TextRenderer<Report>]
    let color: ColorChoice
    /// The work after the trials, which resuming has to ask for again.
    var extras: [Extra] = []
    /// True if `exec` measures: it takes plain commands as arguments.
    var takesCommands = false
    var isKept = true

    /// Runs the trials, stores and prints the run, adds the extras, and ends with its exit status.
    func deliver(_ measurement: RunMeasurement) async throws {
        let report = try await measured(measurement)
        try await addExtras(to: report.run, measurement)
        // All shards together are judged when they are merged.
        if report.run.sharding == nil { try concludeBudgets(of: report.run) }
        try conclude(report)
    }

    /// Runs the trials, stores the run, and prints it.
    func measured(_ measurement: RunMeasurement) async throws -> Report {
        var console = MeasurementConsole(
            measurement, isQuiet: isQuiet, showsProgress: showsProgress, takesCommands: takesCommands,
            with: extras.map(\.flag))
        console.isContinued = !extras.isEmpty
        console.onlyShownAs = isKept ? nil : formats
        let report = try await console.run()
        var shown = report
        // Earlier trials of a resumed run failed in another process.
        let areShown = !isQuiet && measurement.done.isEmpty && HarnessContext.answersBesideErrors
        for format in formats {
            shown.failuresAreShown = areShown && format.name == Formats.runTable.name
            try Console.answer(format.pieces(of: shown), in: color.of(format.name))
        }
        if !isQuiet, isKept { Console.note(resultIn: measurement.folder) }
        return report
    }

    func concludeBudgets(of run: RunRecord) throws {
        let verdicts = try BudgetJudge.findings(ofHead: run).map(\.verdict)
        if verdicts.contains(.overBudget) { throw ExitCode.red }
        if verdicts.contains(.missing) { throw ExitCode.noAnswer }
    }

    /// Reports what a run lacks.
    /// - Throws: ``ExitCode/noAnswer`` if cases have too few trials or could not be measured; ``ExitCode/red`` if a
    ///   plain command is over its limit.
    func conclude(_ report: Report) throws {
        try concludeCommands(of: report)
        let run = report.run
        let short = run.casesShortOfTrials
        guard short.isEmpty else {
            Console.complain(
                "\(short.count) of \(run.plan.cases.count) cases have too few completed trials, beginning with "
                    + short[0].identifier)
            throw ExitCode.noAnswer
        }
        let missing = run.plan.inapplicable.filter {
            !run.environment.allocators.keys.contains($0.cell.allocator.rawValue)
        }
        // Of the plan of all shards: told once, where they are merged.
        guard missing.isEmpty || run.sharding?.number != nil else {
            Console.complain("\(missing.count) cases could not be measured: \(missing[0].reason)")
            throw ExitCode.noAnswer
        }
    }

    private func concludeCommands(of report: Report) throws {
        guard let commands = CommandReport(report) else { return }
        // The limit holds for all shards together, as budgets do.
        if report.run.sharding?.number == nil {
            for excess in commands.excesses { Console.complain(excess.text) }
            guard commands.excesses.isEmpty else { throw ExitCode.red }
        }
        for reason in commands.unanswered { Console.complain(reason) }
        guard commands.unanswered.isEmpty else { throw ExitCode.noAnswer }
        guard commands.isComplete else { throw ExitCode.noAnswer }
    }

    enum Extra: String, CaseIterable {
        case explain
        case allocatorSeries = "allocator-series"

        var flag: String { "--" + rawValue }
    }
}

extension RunDelivery {
    /// Does what was asked for after the trials of a run, and renders its reports again.
    private func addExtras(to run: RunRecord, _ measurement: RunMeasurement) async throws {
        for (index, extra) in extras.enumerated() {
            do {
                switch extra {
                case .explain: try await explain(run, measurement)
                case .allocatorSeries: try await recordAllocatorSeries(of: run, measurement)
                }
            } catch is CancellationError {
                let rest = measurement.resumption(takesCommands: takesCommands, with: extras[index...].map(\.flag))
                Console.note(
                    "interrupted; the run is complete and stored in \(measurement.folder.path). For the rest: \(rest)")
                throw ExitCode.interrupted
            }
        }
    }

    private func explain(_ run: RunRecord, _ measurement: RunMeasurement) async throws {
        let record = try await withProgress("preparing to explain", of: .explain) { display in
            try await run.plan.explained(measurement.inputs) { display.began("explaining", $0, $1, of: $2) }
        }
        try RunStore.write(record, to: measurement.folder)
        try render(run, in: measurement.folder)
        try ExplanationDelivery(formats: [ProfileFormats.all[0]], output: nil).deliver(record)
        for entry in record.entries {
            if let obstacle = entry.obstacle { Console.warn("\(entry.cell) cannot be explained: \(obstacle)") }
        }
    }

    private func recordAllocatorSeries(
        of run: RunRecord, _ measurement: RunMeasurement
    ) async throws {
        let entries = try await withProgress("preparing the allocator's series", of: .allocatorSeries) { display in
            try await AllocatorWatch.entries(of: run.plan, measurement.inputs) {
                display.began("allocator's series", $0, $1, of: $2)
            }
        }
        let curves = entries.compactMap { try? $0.curve.get() }
        try AllocatorCurve.write(curves, to: measurement.folder)
        try render(run, in: measurement.folder)
        if let section = AllocatorSection(curves) { try Console.answer(section.plain) }
        for entry in entries {
            guard case .failure(let obstacle) = entry.curve else { continue }
            Console.warn("\(entry.cell.identifier) has no allocator's series: \(obstacle)")
        }
    }

    private func withProgress<Value: Sendable>(
        _ activity: String, of extra: Extra,
        _ work: @escaping @Sendable (ProgressDisplay) async throws -> Value
    ) async throws -> Value {
        let display = ProgressDisplay(.here(isShown: showsProgress), activity)
        defer { display.finish() }
        return try await whileListeningForSignals(isContinued: extra != extras.last) { try await work(display) }
    }

    /// Renders again what shows the extras.
    private func render(_ run: RunRecord, in folder: RunFolder) throws {
        try folder.write(
            try Report(run, in: folder), drawnBy: Formats.ofRuns.filter { [.page, .report].contains($0.file) })
    }
}

// SPDX-License-Identifier: Apache-2.0

import Measuring
import OperatingSystem
import Profiles
import Reports
import Runs

extension RunDelivery {
    /// Explains every case of a measured run, writes `explain.json`, renders the page again, and prints a table for each
    /// case.
    /// - Throws: ``ExitStatus`` if it was interrupted; the run itself is complete.
    func explain(
        _ run: RunRecord, _ session: Session, _ subjects: TrialHost.Subjects, in harness: HarnessContext
    ) async throws {
        let explainer = try PlanExplainer(run.plan, subjects, in: harness)
        let display = ProgressDisplay(.here(isShown: showsProgress), "preparing to explain")
        defer { display.finish() }
        let record: ExplanationRecord
        do {
            record = try await Interrupt.whileListening {
                try await explainer.record { display.explains($0, $1, of: $2) }
            }
        } catch is CancellationError {
            display.finish()
            let again = resumedBy ?? ["fetchbench", "run", "--resume"]
            Console.note(
                "interrupted; the run is stored in \(session.folder.path), and its peaks are not explained. To explain them: "
                    + (again + [ShellWord.pasted(session.folder.path), "--explain"]).joined(separator: " "))
            throw ExitStatus.interrupted
        }
        display.finish()
        try RunStore.write(record, to: session.folder)
        try session.folder.write(Report(run, in: session.folder), drawnBy: Formats.ofRuns.filter { $0.file == .page })
        try ExplanationDelivery(formats: [ProfileFormats.all[0]], output: nil).deliver(record)
        for entry in record.entries {
            if let obstacle = entry.obstacle { Console.warn("\(entry.cell) cannot be explained: \(obstacle)") }
        }
    }
}

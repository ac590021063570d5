// SPDX-License-Identifier: Apache-2.0

import Measuring
import OperatingSystem
import Profiles
import Reports
import Runs

/// Explains the cases of a measured run, and stores the explanation beside its trials.
struct RunExplanation {
    private let session: Session
    private let subjects: TrialHost.Subjects
    private let showsProgress: Bool
    /// The command that resumes the run, without the folder.
    private let resumedBy: [String]

    init(
        _ session: Session, _ subjects: TrialHost.Subjects, showsProgress: Bool,
        resumedBy: [String] = ["fetchbench", "run", "--resume"]
    ) {
        self.session = session
        self.subjects = subjects
        self.showsProgress = showsProgress
        self.resumedBy = resumedBy
    }

    /// Explains every case, writes `explain.json`, renders the page again, and prints a table for each case.
    /// - Throws: ``ExitStatus`` if it was interrupted; the run itself is complete.
    func explain(_ run: RunRecord, in harness: HarnessContext) async throws {
        let explainer = try PlanExplainer(run.plan, subjects, in: harness)
        let display = ProgressDisplay(.here(isShown: showsProgress), "preparing to explain")
        defer { display.finish() }
        let record: ExplanationRecord
        do {
            record = try await Interrupt.whileListening {
                try await explainer.record { cell, position, count in
                    display.began(
                        ProgressBoard.Item(cell.identifier, group: "explaining", position: position, of: count))
                }
            }
        } catch is CancellationError {
            display.finish()
            Console.note(
                "interrupted; the run is stored in \(session.folder.path), and its peaks are not explained. To explain them: "
                    + (resumedBy + [ShellWord.pasted(session.folder.path), "--explain"]).joined(separator: " "))
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

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Behaviours
import Foundation
import Measuring
import OperatingSystem
import Origin
import Runs
import Texts

extension BehavioursCommand {
    /// Checks `--report` before anything runs.
    func validateReport() throws {
        guard only.isEmpty, expect == nil, against == nil, !list else {
            throw ValidationError("--report cannot be combined with --only, --expect, --against or --list")
        }
        let behaviour = try reported()
        if APIName.packages.contains(behaviour.path) {
            throw ValidationError(
                "--report: '\(behaviour.name)' is a behaviour of \(behaviour.path), whose program would need a package; "
                    + "reports have one file: choose a behaviour of URLSession")
        }
        if let file = try reportFile(), FileManager.default.fileExists(atPath: file) {
            throw ValidationError(
                "--output: \(SafeText.forTerminal(file)) already exists and is not overwritten; choose another folder"
            )
        }
    }

    private func reported() throws -> Behaviour {
        try Usage.checked {
            try WordList.resolve(
                report ?? "", kind: "behaviour", among: BehaviourCatalog.all, name: \.name,
                listedBy: "behaviours --list")
        }
    }

    /// The file of the report in the folder of `--output`.
    private func reportFile() throws -> String? {
        try output.map { $0 + "/report-\(try reported().name).md" }
    }

    /// Tries the behaviour, compiles and runs its program, and writes the report.
    func writeReport() async throws {
        let behaviour = try reported()
        do throws(Compiler.Unusable) {
            _ = try Compiler.path(in: HarnessContext.here.environment)
        } catch {
            Console.complain(
                "--report: \(error.reason), but the report's program has to be compiled; install a Swift toolchain")
            throw ExitStatus.noAnswer
        }
        if let output { try Folder.make(output) }
        guard let report = try await observed(behaviour) else { throw ExitStatus.interrupted }
        if let file = try reportFile() {
            try WholeFile.write(report.markdown, to: file, name: SafeText.forTerminal(file))
        } else {
            try Console.answer(report.markdown)
        }
    }

    /// Returns the report, or `nil` after an interrupt.
    private func observed(_ behaviour: Behaviour) async throws -> BugReport? {
        let library = try AssetLibrary.announced.get()
        let executable = try Self.probes()
        return try await Interrupt.whileListening {
            try await TemporaryFolder.with(in: HarnessContext.here.temporaryDirectory) { directory in
                let runner = BehaviourRunner(
                    executable: executable, variables: HarnessContext.here.variables, library: library,
                    directory: directory)
                return try await observed(behaviour, by: runner)
            }
        }
    }

    private func observed(_ behaviour: Behaviour, by runner: BehaviourRunner) async throws -> BugReport? {
        guard let evidence = await runner.evidence(for: behaviour) else { return nil }
        let row = BehaviourReport.Row(behaviour, evidence)
        guard !row.word.isKept else {
            Console.note("\(row.name): \(row.word.rawValue): \(row.detail); nothing to report")
            throw ExitStatus.done
        }
        guard row.word != .notTried else { throw unanswered("\(row.name) was not tried: \(row.detail)") }
        guard let program = MinimalProgram(for: behaviour) else {
            throw unanswered("\(row.name): \(row.word.rawValue): \(row.detail); it has no minimal program")
        }
        let seen = behaviour.verdict(on: evidence).evidence
        let run =
            program.isSnippet
            ? ProgramRun(ending: seen.ending, complaint: seen.complaint)
            : await runner.run(program, of: behaviour)
        if Task.isCancelled { return nil }
        guard program.isSnippet || run.showsFault else {
            throw unanswered(
                "\(row.name): \(row.word.rawValue): \(row.detail); the minimal program does not show it: \(run.summary)"
            )
        }
        return BugReport(
            row: row, evidence: seen, program: program, run: run, tool: BuildInformation.tool,
            toolchain: try await Self.toolchain(compiler: evidence.lazy.compactMap(\.compiler).first ?? run.compiler),
            system: SystemName.here, workaround: await workaround(for: row, by: runner))
    }

    /// Tries the row of the workaround, if it has one of its own.
    private func workaround(for row: BehaviourReport.Row, by runner: BehaviourRunner) async -> BehaviourReport.Row? {
        guard let name = row.workaround?.row, name != row.name,
            let behaviour = BehaviourCatalog.all.first(where: { $0.name == name })
        else { return nil }
        return await runner.evidence(for: behaviour).map { BehaviourReport.Row(behaviour, $0) }
    }

    private func unanswered(_ reason: String) -> ExitStatus {
        Console.complain("--report: \(reason)")
        return .noAnswer
    }
}

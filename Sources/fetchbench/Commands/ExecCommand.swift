// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Judging
import Measuring
import Reports
import Runs
import Support

/// `fetchbench exec`: what any commands hold, with all that they start.
struct ExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: ParameterWords.command,
        abstract: "Measure the peak memory of any commands and of all that they start, and compare them.",
        discussion: """
            fetchbench exec 'sort big.txt' 'LC_ALL=C sort big.txt'
            fetchbench exec 'sort --parallel={threads} big.txt' --parameter-list threads 1,2,4 --limit 200MiB

            Every run is fresh processes, in this folder and environment, in seeded random order, round by round. Each \
            process is read as it stands at its end, so nothing it held is missed. Of several processes the sum is sampled \
            each millisecond, and lies between the largest of them and the sum of their peaks; a page that they share, as \
            after a fork, counts for each. A shell is a process as well, unless it becomes its last command.
            In no figure: the page cache, files in /dev/shm that no process has mapped, buffers of pipes and sockets, what \
            was swapped out. Standard output is /dev/null, which some programs treat in a way of its own (grep).
            What still runs 200 ms after its command is killed. A program that takes another user's rights (sudo) gets none \
            while it is measured; --prepare and --cleanup are not, and what they start goes on until fetchbench ends.
            Transparent huge pages are off, and SWIFT_BACKTRACE is off unless it is set.
            Commands have no terminal: one that wants to ask there (ssh, sudo, gpg, git) is told so at once.
            Nothing is stored without --output. Ctrl-C stores, or else shows, what was measured until then. Credentials in \
            URLs, headers, known options and variables are in nothing that is shown or stored; a secret in any other form \
            is.
            Exit status: 0 measured, within the limit, also where a comparison is inconclusive; 1 over --limit; 2 no answer (a command failed, the others are \
            still shown); 64 wrong usage; 130 interrupted.
            """)

    @Argument(help: ArgumentHelp("The commands, each as one word.", valueName: "command"))
    var commands: [String] = []

    @OptionGroup(title: "How to run them")
    var options: ExecOptions

    @Option(help: ArgumentHelp("\(Usage.names(of: Formats.ofCommands)), separated by commas.", valueName: "formats"))
    var format: [String] = ["table"]

    @Option(
        help: ArgumentHelp(
            "Store each run the moment it ends, and every format at the end, in a new folder within this one.",
            valueName: "folder"))
    var output: String?

    @Flag(help: "Print nothing but the answer and errors.")
    var quiet = false

    func validate() throws {
        _ = try formats()
        guard output != "" else { throw ValidationError("--output: give a folder") }
        _ = try options.plan(of: commands, redaction: Surroundings.harness().redaction)
    }

    func run() async throws {
        let harness = Surroundings.harness()
        let plan = try options.plan(of: commands, redaction: harness.redaction)
        let session = try ExecSession(
            plan, tool: BuildInformation.tool, startedAt: harness.now(), environment: harness.environment(),
            output: output)
        try await measure(plan, into: session, in: harness)
        let report = session.report(finishedAt: harness.now())
        // The answer first: where it cannot be stored, it is not lost.
        try show(report)
        try session.store(report, as: Formats.ofCommands)
        if !quiet, let folder = session.folder { Console.note("stored in \(folder.path)") }
        try conclude(report)
    }

    private func measure(_ plan: ExecPlan, into session: ExecSession, in harness: HarnessSurroundings) async throws {
        let progress = ExecProgress(.here(isShown: !quiet))
        defer { progress.finish() }
        // Whoever looks at the folder meanwhile, or after the end of a machine, finds out what the runs are of.
        try session.store(session.report(finishedAt: nil), as: Formats.ofCommands.filter { $0.name == "json" })
        do {
            try await Interrupt.whileListening {
                try await TemporaryFolder.with(in: harness.temporaryDirectory) { directory in
                    try await ExecRunner(
                        plan, tracer: harness.executable, environment: Surroundings.commandEnvironment,
                        workingDirectory: FileManager.default.currentDirectoryPath, redaction: harness.redaction,
                        directory: directory
                    ).run(onEvent: { progress.show($0) }, onTrial: { try session.keep($0) })
                }
            }
        } catch {
            progress.finish()
            try stopped(by: error, session)
        }
    }

    private func show(_ report: ExecReport) throws {
        for format in try formats() { try Console.answer(format.text(of: report)) }
    }

    /// Keeps what was measured, or shows it where nothing is stored, and ends with the right status.
    private func stopped(by error: any Error, _ session: ExecSession) throws -> Never {
        let report = session.report(finishedAt: nil)
        let shown = session.count > 0 ? "\(session.count) runs are shown" : "no run was measured"
        let kept =
            session.folder.map { "\(session.count) runs are kept in \($0.path)" }
            ?? "\(shown); nothing is stored without --output"
        if session.folder == nil, session.count > 0 { try show(report) }
        do throws(FetchBenchError) {
            try session.store(report, as: Formats.ofCommands)
        } catch {
            Console.complain("the report of what was measured could not be written; trials.jsonl has it all")
        }
        guard !(error is CancellationError) else {
            Console.note("interrupted; \(kept)")
            throw ExitStatus.interrupted
        }
        Console.complain("exec stopped: \(Explanation.text(of: error)); \(kept)")
        throw ExitStatus.noAnswer
    }

    /// Says what is over the limit, and ends with the status that the runs ask for.
    private func conclude(_ report: ExecReport) throws(ExitStatus) {
        for excess in report.excesses { Console.complain(excess.text) }
        guard report.excesses.isEmpty else { throw .red }
        guard report.isComplete else { throw .noAnswer }
    }

    private func formats() throws -> [any TextRenderer<ExecReport>] {
        try Usage.renderers(named: format, among: Formats.ofCommands)
    }
}

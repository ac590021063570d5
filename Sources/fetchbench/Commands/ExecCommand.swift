// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Judging
import Measuring
import OperatingSystem
import Reports
import Runs

/// `fetchbench exec`: measures arbitrary commands with all processes that they start.
struct ExecCommand: AsyncParsableCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Measure the peak memory of any commands and of all that they start, and compare them.",
        discussion: """
            fetchbench exec 'sort big.txt' 'LC_ALL=C sort big.txt'
            fetchbench exec 'sort --parallel={threads} big.txt' --parameter-list threads 1,2,4 --limit 200MiB

            Every run is fresh processes, in this folder and environment, in seeded random order, round by round. Each \
            process is read as it stands at its end, so nothing it held is missed. Of several processes what they hold together \
            is sampled each millisecond: a page that they share, as after a fork, counts once, so far as that can be known, \
            and the most that it can have been is told beside it. A shell is a process as well, unless it becomes its last \
            command.
            In no figure: the page cache, files in /dev/shm that no process has mapped, buffers of pipes and sockets, what \
            was swapped out. Standard output is /dev/null, which some programs treat in a way of its own (grep).
            What still runs 200 ms after its command is killed (--wait-for-children gives it more time), and then there is no \
            answer to a limit. A program that takes another user's rights (sudo) gets none \
            while it is measured; --prepare and --cleanup are not, and what they start goes on until fetchbench ends.
            Transparent huge pages are off, and SWIFT_BACKTRACE is off unless it is set.
            Commands have no terminal: one that wants to ask there (ssh, sudo, gpg, git) is told so at once.
            Nothing is stored without --output; with it a run folder like any other, which report, --resume and compare take. \
            Ctrl-C stores, or else shows, what was measured until then. Credentials in \
            URLs, headers, known options and variables are in nothing that is shown or stored; a secret in any other form \
            is.
            Exit status: 0 measured, within the limit, also where a comparison is inconclusive; 1 over --limit; 2 no answer (a command failed, the others are \
            still shown); 64 wrong usage; 130 interrupted.
            """)

    @Argument(help: ArgumentHelp("The commands, each as one word.", valueName: "command"))
    var commands: [String] = []

    @OptionGroup(title: "How to run them")
    var options: ExecOptions

    @Option(help: ArgumentHelp("\(Usage.names(of: Formats.ofRuns)), separated by commas.", valueName: "formats"))
    var format: [String] = ["table"]

    @Option(
        help: ArgumentHelp(
            "Store each run the moment it ends, and every format at the end, in a new folder within this one.",
            valueName: "folder"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Finish an interrupted run that was stored; commands with secrets are given again.", valueName: "run"),
        completion: .directory)
    var resume: String?

    @Flag(help: "Explain who holds the peak of each command, too, in two extra runs.")
    var explain = false

    @Flag(help: "Print nothing but the answer and errors.")
    var quiet = false

    func validate() throws {
        _ = try formats()
        guard output != "" else { throw ValidationError("--output: give a folder") }
        guard resume != nil else {
            _ = try options.request(of: commands, redaction: HarnessContext.here.redaction)
            return
        }
        guard output == nil, options.repeatsSecretsAlone else {
            throw ValidationError(
                "--resume finishes the stored plan: only commands, --name, --prepare, --cleanup and --parameter-list go with it"
            )
        }
        if !commands.isEmpty { _ = try plainCommands(HarnessContext.here) }
    }

    func run() async throws {
        let harness = HarnessContext.here
        // Fail before hours of runs, not after them.
        if explain { _ = try RecorderLibrary(beside: harness.executable) }
        if let resume {
            let session = try Session.resumed(
                RunFolder(existing: resume), kinds: [.run], evenIfFinished: explain, in: harness)
            let subjects = try TrialHost.Subjects(
                resuming: session, url: nil, commands: commands.isEmpty ? [] : plainCommands(harness),
                parameters: Usage.checked { try options.parameterLists.map { try CommandParameter(parsing: $0) } },
                programs: TrialPrograms(executables: []), named: [], redaction: harness.redaction)
            return try await deliver(session, subjects, in: harness)
        }
        guard let output else {
            return try await TemporaryFolder.with(in: harness.temporaryDirectory) { folder in
                try await measure(into: folder, in: harness)
            }
        }
        try await measure(into: output, in: harness)
    }

    private func measure(into folder: String, in harness: HarnessContext) async throws {
        let request = try options.request(of: commands, redaction: harness.redaction)
        let plan = try await request.announcedPlan(in: harness, showsProgress: false)
        let session = try await Session.begun(
            .run, of: request, plan, reproduce: { $0.execCommand() },
            to: Session.Destination(output: folder, label: nil), in: harness)
        try await deliver(session, request.subjects, in: harness)
    }

    private func deliver(
        _ session: Session, _ subjects: TrialHost.Subjects, in harness: HarnessContext
    ) async throws {
        try await RunDelivery(
            isQuiet: quiet, showsProgress: !quiet, formats: try formats(), extras: explain ? [.explain] : [],
            resumedBy: ["fetchbench", "exec", "--resume"], isKept: output != nil || resume != nil
        ).deliver(session, subjects, in: harness)
    }

    private func plainCommands(_ harness: HarnessContext) throws -> [ExternalCommand] {
        try Usage.checked { try options.plainCommands(of: commands, redaction: harness.redaction) }
    }

    private func formats() throws -> [any TextRenderer<Report>] {
        try Usage.formats(format, among: Formats.ofRuns) { $0.name }
    }
}

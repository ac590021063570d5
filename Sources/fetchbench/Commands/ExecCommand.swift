// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation
import Judging
import Reports

struct ExecCommand: AsyncParsableCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Measure and compare the peak memory of commands, including their child processes.",
        discussion: """
            fetchbench exec 'sort big.txt' 'LC_ALL=C sort big.txt'
            fetchbench exec 'sort --parallel={threads} big.txt' --parameter-list threads 1,2,4 --limit 200MiB

            Every run is a fresh process in this folder and environment, in random order. The peak of each process is exact; \
            of several processes it is sampled every millisecond, and a page that they share counts once. The \
            page cache, unmapped files in /dev/shm and kernel buffers are not included; see charged_peak_bytes. Standard output is /dev/null. A program that takes \
            another user's rights (sudo) runs without them. Processes that outlive their command are killed \
            (--wait-for-children). Results are stored only with --output; known credentials are never stored.

            Exit status: 0 measured, within the limit; 1 over --limit; 2 no answer (a command failed, or \
            --limit lies between the bounds of several processes); 64 usage error; 75 try the shard again; 130 interrupted.
            """)

    @Argument(help: ArgumentHelp("Commands, each quoted as one argument.", valueName: "command"))
    var commands: [String] = []

    @OptionGroup(title: "Run options")
    var options: ExecOptions

    @OptionGroup var shard: ShardOptions

    @OptionGroup var format: FormatOptions<CommandFormats>

    @Option(
        help: ArgumentHelp(
            "Folder to store results in: each run as it ends, and every format at the end (default: not stored).",
            valueName: "folder"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Interrupted stored run to finish; give commands with secrets again (default: none).", valueName: "run"),
        completion: .directory)
    var resume: String?

    @Flag(help: "Also explain which functions hold the peak of each command, in two extra runs.")
    var explain = false

    @Flag(help: "Print only the result and errors.")
    var quiet = false

    @OptionGroup var color: ColorOptions

    func validate() throws {
        try Usage.checkFolder(output)
        guard shard.text == nil || resume == nil else {
            throw ValidationError("--resume uses the stored part; omit --shard")
        }
        try shard.check()
        guard shard.text == nil || output != nil else {
            throw ValidationError("--shard needs --output: the trials of a shard are stored, to be merged later")
        }
        guard resume != nil else {
            _ = try options.request(of: commands, redaction: HarnessContext.here.redaction)
            return
        }
        guard output == nil, options.repeatsSecretsAlone else {
            throw ValidationError(
                "--resume uses the stored plan; it can be combined only with commands, --name, --prepare, --cleanup and --parameter-list"
            )
        }
        if !commands.isEmpty { _ = try plainCommands(HarnessContext.here) }
    }

    func run() async throws {
        var harness = HarnessContext.here
        // A table that is not stored does not name the commit.
        if resume == nil, output == nil, format.words == [Formats.runTable.name] {
            harness.outside.revision = { _ in nil }
        }
        // Fail before hours of runs, not after them.
        if explain { _ = try RecorderLibrary(beside: harness.executable) }
        if let resume {
            let measurement = try RunMeasurement.resumed(
                RunFolder(existing: resume), .run, evenIfFinished: explain, in: harness
            ) { [harness] record in
                try TrialInputs(
                    resuming: record, url: nil, commands: commands.isEmpty ? [] : plainCommands(harness),
                    parameters: Usage.checked { try options.parameterLists.map { try CommandParameter(parsing: $0) } },
                    programs: TrialPrograms(executables: []), named: [], in: harness)
            }
            return try await deliver(measurement)
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
        let measurement = try await shard.began {
            try await RunMeasurement.begun(
                .run, of: request, plan, shard: shard.shard, reproduce: { $0.execCommand() },
                to: RunMeasurement.Destination(output: folder, label: nil), in: harness)
        }
        try await deliver(measurement)
    }

    private func deliver(_ measurement: RunMeasurement) async throws {
        try await RunDelivery(
            isQuiet: quiet, showsProgress: !quiet, formats: try format.formats, color: color.color,
            extras: explain ? [.explain] : [], takesCommands: true, isKept: output != nil || resume != nil
        ).deliver(measurement)
    }

    private func plainCommands(_ harness: HarnessContext) throws -> [ExternalCommand] {
        try Usage.checked { try options.plainCommands(of: commands, redaction: harness.redaction) }
    }
}

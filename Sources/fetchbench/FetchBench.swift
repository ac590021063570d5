// SPDX-License-Identifier: Apache-2.0

import CommandConsole

@main
struct FetchBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetchbench",
        abstract: "Measure the peak memory of downloads, image decoding and any command, exactly.",
        discussion: """
            fetchbench --url https://host/big.jpg --mode download
            fetchbench run --suite default
            fetchbench answer
            fetchbench exec 'sort big.txt' 'LC_ALL=C sort big.txt'

            'fetchbench help figures' explains what is measured, 'fetchbench help formats' lists the formats of results.

            Exit status: 0 success, within limits; 1 regressed or over budget; 2 no answer (trials failed, inconclusive, \
            files unreadable or not writable); 64 usage error; 75 try the shard again; 130 interrupted (results so far \
            are kept).
            """,
        version: BuildInformation.version,
        subcommands: [TraceCommand.self, ParseCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Measure",
                subcommands: [
                    RunCommand.self, AnswerCommand.self, ExecCommand.self, EndpointCommand.self, SurviveCommand.self,
                    CostsCommand.self, BehaviourCommand.self, PlanCommand.self, MergeCommand.self,
                ]),
            CommandGroup(
                name: "Compare and guard",
                subcommands: [CompareCommand.self, CheckCommand.self, CalibrateCommand.self, InitCommand.self]),
            CommandGroup(name: "Explain and report", subcommands: [ExplainCommand.self, ReportCommand.self]),
            CommandGroup(
                name: "Reference",
                subcommands: [ListCommand.self, DoctorCommand.self, TryCommand.self, ServeCommand.self]),
        ],
        defaultSubcommand: RunCommand.self)

    static func main() async {
        let arguments = HarnessContext.here.arguments
        // The tracer is started for each run of commands, and has no flags to parse.
        let tracer: @Sendable () -> any ParsableCommand = { TraceCommand() }
        await CommandMain.run(
            Self.self, CommandParameter.joined(in: arguments), check: check, helpCommand: helpCommand,
            command: arguments == [TraceCommand.configuration.commandName] ? tracer : nil)
    }
}

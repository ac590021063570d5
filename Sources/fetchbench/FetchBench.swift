// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Measuring
import MemProbe
import OperatingSystem
import Origin
import Runs

/// The command and its subcommands; `run` is the default.
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
                    RunCommand.self, AnswerCommand.self, ExecCommand.self, SurviveCommand.self, CostsCommand.self,
                    BehavioursCommand.self, PlanCommand.self, MergeCommand.self,
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
}

/// A command that measures processes, which it can only where `/proc` shows them.
protocol MeasuringCommand: SendableMetatype {
    /// False where the arguments ask for something else.
    var measures: Bool { get }
}

extension MeasuringCommand {
    var measures: Bool { true }
}

@main
enum Main {
    /// Exits as the argument parser would, but with one line for the error and one for the help of the subcommand.
    ///
    /// Control sequences in arguments are escaped.
    private static func leave(with error: any Error, from arguments: [String]) -> Never {
        let status = FetchBench.exitCode(for: error)
        let message = FetchBench.message(for: error)
        guard !status.isSuccess, !message.isEmpty else { FetchBench.exit(withError: error) }
        Console.complain(message)
        guard !Console.answersInJSON else {
            (status.rawValue == ExitStatus.usage.rawValue ? ExitStatus.usage : .noAnswer).exit()
        }
        // For an option with an invalid value: what it expects.
        if let help = FetchBench.fullMessage(for: error).split(separator: "\n").first(where: { $0.hasPrefix("Help:") })
        {
            Console.note(String(help))
        }
        Console.note("See '\(FirstContact.helpCommand(for: arguments)) --help'.")
        // 1 means "regressed"; every other failure ends with `noAnswer`.
        (status.rawValue == ExitStatus.usage.rawValue ? ExitStatus.usage : .noAnswer).exit()
    }

    static func main() async {
        // A closed pipe is reported as an error instead of killing the harness.
        signal(SIGPIPE, SIG_IGN)
        let arguments = CommandParameter.joined(in: HarnessContext.here.arguments)
        do {
            // Swift reads the arguments from there: without it, each command would be another one.
            if let obstacle = ProcFileSystem.obstacle, obstacle.code != .otherNamespace {
                throw FetchBenchError.memory(obstacle)
            }
            try FirstContact.check(arguments)
            var command = try FetchBench.parseAsRoot(arguments)
            let measures = (command as? any MeasuringCommand)?.measures ?? false
            if measures, let obstacle = ProcFileSystem.obstacle { throw FetchBenchError.memory(obstacle) }
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let status as ExitStatus {
            status.exit()
        } catch let mistake as PlanMistake {
            leave(with: ValidationError(mistake.description), from: arguments)
        } catch let error where error is AssetError || error is FileFailure || error is FetchBenchError {
            Console.complain(Explanation.text(of: error))
            ExitStatus.noAnswer.exit()
        } catch {
            leave(with: error, from: arguments)
        }
    }
}

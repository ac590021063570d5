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
        abstract: "Measure exactly what fetching and rendering large assets costs in memory.",
        discussion: """
            fetchbench --url https://host/big.jpg --mode download
            fetchbench run --suite default
            fetchbench answer
            fetchbench exec 'sort big.txt' 'LC_ALL=C sort big.txt'

            Exit status: 0 done, within limits; 1 regressed or over budget; 2 no answer (trials failed, inconclusive, nothing \
            to write to, not a run); 64 wrong usage; 130 interrupted (what was measured is kept).
            """,
        version: BuildInformation.version,
        subcommands: [
            RunCommand.self, AnswerCommand.self, ReportCommand.self, CompareCommand.self, CheckCommand.self,
            CalibrateCommand.self,
            ExecCommand.self, CostsCommand.self, ListCommand.self,
            DoctorCommand.self, ServeCommand.self,
            ExplainCommand.self,
            BehavioursCommand.self, InitCommand.self, TraceCommand.self, ParseCommand.self,
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
    /// Exits as the argument parser would, but escapes control sequences in arguments.
    private static func leave(with error: any Error) -> Never {
        let status = FetchBench.exitCode(for: error)
        guard !status.isSuccess else { FetchBench.exit(withError: error) }
        Console.note(lines: FetchBench.fullMessage(for: error))
        // 1 means "regressed"; every other failure ends with `noAnswer`.
        (status.rawValue == ExitStatus.usage.rawValue ? ExitStatus.usage : .noAnswer).exit()
    }

    static func main() async {
        // A closed pipe is reported as an error instead of killing the harness.
        signal(SIGPIPE, SIG_IGN)
        do {
            // Swift reads the arguments from there: without it, each command would be another one.
            if let obstacle = ProcFileSystem.obstacle, obstacle.code != .otherNamespace {
                throw FetchBenchError.memory(obstacle)
            }
            var command = try FetchBench.parseAsRoot(ParameterWords.joined(HarnessContext.here.arguments))
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
            leave(with: ValidationError(mistake.description))
        } catch let error where error is AssetError || error is FileFailure || error is FetchBenchError {
            Console.complain(Explanation.text(of: error))
            ExitStatus.noAnswer.exit()
        } catch {
            leave(with: error)
        }
    }
}

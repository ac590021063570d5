// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit

/// The command and its subcommands; `run` is what it does without one.
struct FetchBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetchbench",
        abstract: "Measure exactly what fetching and rendering large assets costs in memory.",
        discussion: """
            fetchbench --url https://host/big.jpg --mode download
            fetchbench run --suite Benchmarks/suites/default.yml

            Exit status: 0 done; 2 no answer (trials failed, nothing to write to, not a run); 64 wrong usage;
            130 interrupted (what was measured is kept).
            """,
        version: BuildInformation.version,
        subcommands: [
            RunCommand.self, ReportCommand.self, ListCommand.self, DoctorCommand.self, ServeCommand.self,
            TrialCommand.self,
        ],
        defaultSubcommand: RunCommand.self)
}

@main
enum Main {
    static func main() async {
        do {
            var command = try FetchBench.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let status as ExitStatus {
            status.exit()
        } catch let error as FetchBenchError {
            Console.complain(error.explanation)
            ExitStatus.noAnswer.exit()
        } catch {
            FetchBench.exit(withError: error)
        }
    }
}

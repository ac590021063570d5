// SPDX-License-Identifier: Apache-2.0

import Glibc
import Measuring
import MemProbe
import Runs

extension HarnessContext {
    /// The context of this process: the only place that reads its arguments and environment.
    static let here = HarnessContext(
        arguments: SystemText.arguments, environment: SystemText.environment,
        executable: SystemText.target(ofLink: "/proc/self/exe") ?? CommandLine.arguments.first ?? "fetchbench",
        workingDirectory: SystemText.workingDirectory ?? "/", user: geteuid(),
        drawsProgress: isatty(STDERR_FILENO) == 1)

    /// True if a person can be asked.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// True if the answer goes to a terminal.
    static var answersOnTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// True if standard output and standard error are the same terminal, file or pipe.
    static var answersBesideErrors: Bool {
        var (answers, errors) = (stat(), stat())
        guard fstat(STDOUT_FILENO, &answers) == 0, fstat(STDERR_FILENO, &errors) == 0 else { return false }
        return answers.st_dev == errors.st_dev && answers.st_ino == errors.st_ino
    }

    /// The named trial programs and those beside this command, after a warning for each mode that several declare.
    func announcedPrograms(named paths: [String]) async throws(FetchBenchError) -> TrialPrograms {
        let programs = try await programs(named: paths)
        programs.doubledModes(ofNamed: paths.count).forEach(Console.warn)
        return programs
    }
}

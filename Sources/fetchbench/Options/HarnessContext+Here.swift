// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Measuring
import Runs

extension HarnessContext {
    /// The context of this process: the only place that reads its arguments and environment.
    static let here = HarnessContext(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment,
        executable: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments.first ?? "fetchbench",
        workingDirectory: FileManager.default.currentDirectoryPath, user: geteuid(),
        drawsProgress: isatty(STDERR_FILENO) == 1)

    /// The named trial programs and those beside this command, after a warning for each mode that several declare.
    func announcedPrograms(named paths: [String]) async throws(FetchBenchError) -> TrialPrograms {
        let programs = try await programs(named: paths)
        programs.doubledModes(ofNamed: paths.count).forEach(Console.warn)
        return programs
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Measuring
import Runs

extension HarnessContext {
    /// That of this process: the only place that reads what a process is given.
    static let here = HarnessContext(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment,
        executable: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0],
        workingDirectory: FileManager.default.currentDirectoryPath, user: geteuid(),
        drawsProgress: isatty(STDERR_FILENO) == 1)

    /// The trial programs that were named, and those beside this command; what a user should know of their modes is said.
    func announcedPrograms(named paths: [String]) async throws(FetchBenchError) -> TrialPrograms {
        let programs = try await programs(named: paths)
        programs.doubledModes(ofNamed: paths.count).forEach(Console.warn)
        return programs
    }
}

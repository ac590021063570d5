// SPDX-License-Identifier: Apache-2.0

import Runs
import Support
import TrialKit

/// Spawns a fresh process that reads its own costs, and kills it when its time is over.
struct CostLauncher: Sendable {
    /// How much an answer may have; a real one has a few kilobytes.
    private static let outputLimit = 1 << 20

    /// What builds its environment.
    let variables: TrialVariables
    /// After how many seconds it is killed.
    let timeoutSeconds: Double

    /// Asks one process, in a folder that exists and is removed by the caller.
    /// - Throws: `CancellationError` where the harness was stopped.
    func answer(of program: String, to request: CostRequest) async throws -> CostAnswer {
        let child = ChildProcess(
            executable: program, name: "trial", arguments: ["--costs"],
            environment: variables.environment(for: .glibc, directory: request.directory),
            directory: request.directory, limit: .seconds(timeoutSeconds))
        let (end, output) = try await child.output(
            reading: RunCoding.compactText(of: request), limitedTo: Self.outputLimit)
        return CostAnswer(
            spawnedNanoseconds: end.spawnedNanoseconds, ending: end.ending, timeoutSeconds: timeoutSeconds,
            output: output, complaint: end.lastWords())
    }
}

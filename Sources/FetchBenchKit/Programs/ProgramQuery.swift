// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import TrialKit

/// Asks a program what it can do.
struct ProgramQuery: Sendable {
    /// The program.
    let path: String
    /// What builds its environment.
    let variables: TrialVariables
    /// On which allocator it is asked.
    var allocator = AllocatorArm.glibc
    /// How long it may take: a real one takes milliseconds.
    var timeout = Duration.seconds(10)

    /// What it answered.
    /// - Throws: ``FetchBenchError/trialProgram(path:reason:)`` where it cannot be started, does not answer in time,
    ///   says something else, or speaks another protocol.
    func answer() async throws(FetchBenchError) -> ProgramDescription {
        try checkFile()
        let text = try await text()
        guard let description = try? JSONDecoder().decode(ProgramDescription.self, from: Data(text)) else {
            throw refusal("it does not describe itself as a trial program does")
        }
        let known = TrialRequest.understoodProtocols
        guard description.protocols.overlaps(known) else {
            throw refusal(
                "it speaks versions \(description.protocols.lowerBound) to \(description.protocols.upperBound) of the "
                    + "protocol, and this harness \(known.lowerBound) to \(known.upperBound): build both from one commit"
            )
        }
        return description
    }

    private func checkFile() throws(FetchBenchError) {
        guard FileManager.default.fileExists(atPath: path) else { throw refusal("it is not there") }
        guard FileManager.default.isExecutableFile(atPath: path) else { throw refusal("it cannot be executed") }
    }

    private func text() async throws(FetchBenchError) -> [UInt8] {
        let child = ChildProcess(
            executable: path, name: "trial", arguments: ["--describe"],
            environment: variables.environment(for: allocator, directory: "/tmp"), limit: timeout)
        let ended: (end: ChildProcess.End, output: [UInt8])
        do {
            ended = try await child.output(limitedTo: 1 << 20)
        } catch {
            throw refusal("it could not be asked: \(error)")
        }
        switch ended.end.ending {
        case .killedAtLimit: throw refusal("it did not describe itself within \(timeout)")
        case .notStarted(let reason): throw refusal("it could not be asked: \(reason)")
        case .exited, .signalled, .killedOverMemory, .wroteTooMuch: return ended.output
        }
    }

    private func refusal(_ reason: String) -> FetchBenchError {
        .trialProgram(path: path, reason: reason)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import OperatingSystem
package import Runs
import Statistics
import TrialKit

/// Measures the costs of programs: in each round every program once, in random order.
///
/// The first round is discarded: it brings programs and libraries into the page cache. A program is given up after its
/// first failure.
package struct CostRunner: Sendable {
    /// The asset: 1 KiB that every mode can fetch, sent at full speed.
    private static let asset = (path: "/text/1KiB?rate=unlimited", size: ByteCount.kibibytes(1))

    private let subjects: [CostSubject]
    private let trials: Int
    private let seed: UInt64
    private let originURL: String
    private let directory: String
    private let variables: TrialVariables
    private let timeoutSeconds: Double

    /// Creates a runner of `trials` rounds beside the discarded one; each process gets a folder in `directory`.
    package init(
        _ subjects: [CostSubject], trials: Int, seed: UInt64, originURL: String, variables: TrialVariables,
        directory: String, timeoutSeconds: Double
    ) {
        self.subjects = subjects
        self.trials = trials
        self.seed = seed
        self.originURL = originURL
        self.directory = directory
        self.variables = variables
        self.timeoutSeconds = timeoutSeconds
    }

    /// Measures all programs, and returns rows in their order.
    /// - Throws: ``FetchBenchError`` if the harness cannot continue; `CancellationError` if it was stopped.
    package func run(onEvent: @Sendable (SessionEvent) -> Void) async throws -> [CostRow] {
        var rows = subjects.map { CostRow($0) }
        var rounds = Rounds(of: Array(rows.indices), count: trials + 1, seed: seed)
        while let turn = rounds.next() {
            try Task.checkCancellation()
            let index = turn.subject
            let subject = subjects[index]
            let name = "\(subject.program.name) (\(subject.linkage.rawValue))"
            onEvent(.began(ProgressBoard.Item(name, position: turn.position, of: turn.count)))
            do {
                let trial = try await trial(of: subject, number: turn.position)
                if turn.round > 1 { rows[index].trials.append(trial) }
            } catch let failure as CostFailure {
                // A cancelled trial has not failed.
                try Task.checkCancellation()
                rows[index].failure = failure
                rounds.giveUp(index)
                onEvent(
                    .failed(
                        "run \(turn.position)", "\(name): \(failure.reason); it is skipped from now on", cause: name))
            }
            try Task.checkCancellation()
        }
        return rows
    }

    private func trial(of subject: CostSubject, number: Int) async throws -> CostTrial {
        guard let mode = subject.mode else { throw CostFailure("it has no mode for http") }
        return try await TrialFolder.with("c", number, in: directory) { folder in
            let request = CostRequest(
                mode: mode.name, url: originURL + Self.asset.path, directory: folder,
                idleTimeoutSeconds: Int(timeoutSeconds.rounded(.up)) + 5)
            do {
                let end = try await ChildLaunch(
                    executable: subject.program.path, name: TrialExecutable.processName, arguments: ["--costs"],
                    environment: variables.environment(for: .glibc, directory: folder), directory: folder,
                    limit: .seconds(timeoutSeconds), reading: try RunCoding.compactText(of: request),
                    outputLimit: 1 << 20
                ).run()
                return try CostAnswer(end, timeoutSeconds: timeoutSeconds).trial(fetching: Self.asset.size)
            } catch let failure as CostFailure {
                // Messages of a library may quote the folder.
                throw CostFailure(failure.reason.replacingOccurrences(of: directory, with: "TMPDIR"))
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Runs

/// Measures the costs of programs: in each round every program once, in random order.
///
/// The first round is discarded: it brings programs and libraries into the page cache. A program is given up after its
/// first failure.
package struct CostRunner: Sendable {
    /// The asset: 1 KiB that every mode can fetch, sent at full speed.
    private static let asset = (path: "/text/1KiB?rate=unlimited", size: ByteCount.kibibytes(1))

    private let subjects: [Subject]
    private let trials: Int
    private let seed: UInt64
    private let originURL: String
    private let directory: String
    private let variables: TrialVariables
    private let timeoutSeconds: Double

    /// Creates a runner of `trials` rounds beside the discarded one; each process gets a folder in `directory`.
    package init(
        _ subjects: [Subject], trials: Int, seed: UInt64, originURL: String, variables: TrialVariables,
        directory: String, timeoutSeconds: Double
    ) {
        (self.subjects, self.trials, self.seed) = (subjects, trials, seed)
        (self.originURL, self.directory, self.variables) = (originURL, directory, variables)
        self.timeoutSeconds = timeoutSeconds
    }

    /// Measures all programs, and returns rows in their order.
    package func run(onEvent: RunMeasurement.Listener) async throws -> [CostRow] {
        var rows = subjects.map { CostRow($0) }
        var rounds = Rounds(of: Array(rows.indices), count: trials + 1, seed: seed)
        while let turn = rounds.next() {
            try Task.checkCancellation()
            let index = turn.subject
            let subject = subjects[index]
            let name = "\(subject.program.name) (\(subject.linkage.rawValue))"
            onEvent(.began(ProgressBoard.Item(name, position: turn.position, of: turn.count)))
            let trial = try await trial(of: subject, number: turn.position)
            // A cancelled trial has not failed.
            try Task.checkCancellation()
            switch trial {
            case .success(let trial) where turn.round > 1: rows[index].trials.append(trial)
            case .success: break
            case .failure(let failure):
                rows[index].failure = failure
                rounds.giveUp(index)
                onEvent(.failed("run \(turn.position)", "\(name): \(failure); it is skipped from now on", cause: name))
            }
        }
        return rows
    }

    private func trial(of subject: Subject, number: Int) async throws -> Result<
        CostTable.Trial, FetchBenchError
    > {
        guard let mode = subject.mode else { return .failure(FetchBenchError("it has no mode for http")) }
        return try await TrialFolder.with("c", number, in: directory) { folder in
            let request = CostRequest(
                mode: mode.name, url: originURL + Self.asset.path, directory: folder,
                idleTimeoutSeconds: Int(timeoutSeconds.rounded(.up)) + 5)
            let end = try await ChildLaunch(
                executable: subject.program.path, name: TrialExecutable.processName, arguments: ["--costs"],
                environment: variables.environment(for: .glibc, directory: folder), directory: folder,
                limit: .seconds(timeoutSeconds), reading: try RunCoding.compactText(of: request),
                outputLimit: 1 << 20
            ).run()
            do {
                return .success(
                    try Answer(end, timeoutSeconds: timeoutSeconds).trial(fetching: Self.asset.size))
            } catch {
                // Messages of a library may quote the folder.
                return .failure(FetchBenchError("\(error)".replacingOccurrences(of: directory, with: "TMPDIR")))
            }
        }
    }

    package struct Subject: Hashable, Sendable {
        package let program: TrialExecutable
        package let linkage: CostTable.Linkage

        package init(_ program: TrialExecutable, linkage: CostTable.Linkage) {
            (self.program, self.linkage) = (program, linkage)
        }

        /// The mode that fetches 1 KiB over http, or `nil`.
        ///
        /// It is the first one with a configurable client, because that is how a library is meant to be used, and a
        /// blocking initialiser has none; else the first that can.
        package var mode: ModeDeclaration? {
            let fetching = program.description.modes.filter { mode in
                mode.name != Case.nullMode && mode.schemes.contains("http") && mode.need != .sink
            }
            let client: Set<ModeAbility> = [.connectionLimit, .cancellation]
            return fetching.first { $0.abilities.contains(.concurrency) && !$0.abilities.isDisjoint(with: client) }
                ?? fetching.first
        }
    }

    package struct Answer: Sendable {
        /// The instant before it was spawned, in nanoseconds of the clock that all processes share.
        package var spawnedNanoseconds: Int
        package var ending: Ending
        package var timeoutSeconds: Double
        package var output: [UInt8]
        /// The reason that it gave on standard error (see ``LastWords``).
        package var complaint: String
        package var limits = MachineLimits.current

        package init(
            spawnedNanoseconds: Int, ending: Ending = .exited(0), timeoutSeconds: Double = 30, output: [UInt8],
            complaint: String = ""
        ) {
            (self.spawnedNanoseconds, self.ending) = (spawnedNanoseconds, ending)
            (self.timeoutSeconds, self.output, self.complaint) = (timeoutSeconds, output, complaint)
        }

        init(_ end: ProcessEnd, timeoutSeconds: Double) {
            self.init(
                spawnedNanoseconds: end.spawnedNanoseconds ?? 0, ending: end.ending, timeoutSeconds: timeoutSeconds,
                output: end.output, complaint: end.lastWords())
        }

        /// Returns the trial for a body of this length.
        package func trial(fetching body: ByteCount) throws -> CostTable.Trial {
            if let refusal { throw FetchBenchError(refusal) }
            let report: CostReport
            do {
                report = try ForeignDocument.decode(CostReport.self, from: output)
                let mistakes = CostCheck.mistakes(in: report, spawnedNanoseconds: spawnedNanoseconds, limits: limits)
                if let mistake = mistakes.first { throw FetchBenchError(mistake.description) }
            } catch {
                throw FetchBenchError("invalid cost report: \(error)" + words)
            }
            if let failure = report.failure {
                throw FetchBenchError("the fetch failed: \(failure.code): \(failure.detail)")
            }
            guard let fetched = report.fetched else {
                throw FetchBenchError("invalid cost report: fetched is missing, and nothing failed" + words)
            }
            guard report.body == body else {
                throw FetchBenchError("it fetched \(report.body?.exactText ?? "nothing") instead of \(body.exactText)")
            }
            return CostTable.Trial(spawnedNanoseconds: spawnedNanoseconds, start: report.start, fetched: fetched)
        }

        private var words: String { complaint.isEmpty ? "" : " (\(complaint))" }

        private var refusal: String? {
            switch ending {
            case .exited(0): return nil
            case .exited(let status):
                // The message of programs made before `costs` existed.
                let isOlder = complaint.contains("takes no argument but --describe") && !complaint.contains("--costs")
                return "exited with status \(status)\(words)"
                    + (isOlder ? ": it is too old for `fetchbench costs`; rebuild it" : "")
            case .signalled(let signal): return "ended by a signal: \(signalName(Int32(signal)))" + words
            case .killedAtLimit: return "no answer within \(CSV.text(timeoutSeconds)) s: killed"
            case .killedOverMemory(let reached): return "killed at \(ByteText.mebibytes(reached))"
            case .wroteTooMuch(let limit): return "invalid cost report: more than \(limit) bytes"
            case .notStarted(let reason): return "not started: \(reason)"
            }
        }
    }
}

extension CostRow {
    package init(_ subject: CostRunner.Subject) {
        self.init(
            name: subject.program.name, linkage: subject.linkage, mode: subject.mode?.name,
            binary: ProgramFile(at: subject.program.path).size)
    }
}

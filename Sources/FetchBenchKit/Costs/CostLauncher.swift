// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Subprocess
import SystemPackage
import TrialKit

/// Spawns a fresh process that reads its own costs, and kills it when its time is over.
struct CostLauncher: Sendable {
    /// How much an answer may have; a real one has a few kilobytes.
    private static let outputLimit = 1 << 20
    private static let complaintLimit = 400

    /// What builds its environment.
    let variables: TrialVariables
    /// After how many seconds it is killed.
    let timeoutSeconds: Double

    /// Asks one process, in a folder that exists and is removed by the caller.
    /// - Throws: ``CostFailure`` where it cannot be started, `CancellationError` where the harness was stopped.
    func answer(of program: String, to request: CostRequest) async throws -> CostAnswer {
        // Files, not pipes: a program that ends without reading it must not end the harness.
        let inputPath = request.directory + "/request.json"
        try WholeFile.write(RunCoding.compactText(of: request), to: inputPath, name: "a request")
        let input = try FileDescriptor.open(FilePath(inputPath), .readOnly, options: [.closeOnExec])
        let complaintPath = request.directory + "/stderr"
        let complaints = try FileDescriptor.open(
            FilePath(complaintPath), .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: .ownerReadWrite)
        do {
            var answer = try await run(program, input: input, complaints: complaints, directory: request.directory)
            answer.complaint = LastWords.reason(
                in: (try? String(contentsOfFile: complaintPath, encoding: .utf8)) ?? "", limit: Self.complaintLimit)
            return answer
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            throw CostFailure("its answer is no account of costs: more than \(Self.outputLimit) bytes")
        } catch let error as SubprocessError where !Task.isCancelled {
            throw CostFailure("not started: \(error.underlyingError?.description ?? "\(error.code)")")
        }
    }

    private func run(
        _ program: String, input: FileDescriptor, complaints: FileDescriptor, directory: String
    ) async throws -> CostAnswer {
        let watchdog = Watchdog()
        // A group of its own: Ctrl-C reaches the harness alone, and what the program starts is killed with it.
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)
        ]
        let spawned = MonotonicClock.now()
        let result = try await Subprocess.run(
            .path(FilePath(program)),
            arguments: Arguments(executablePathOverride: "trial", remainingValues: ["--costs"]),
            environment: .sorted(variables.environment(for: .glibc, directory: directory)),
            workingDirectory: FilePath(directory), platformOptions: options,
            input: .fileDescriptor(input, closeAfterSpawningProcess: true), output: .bytes(limit: Self.outputLimit),
            error: .fileDescriptor(complaints, closeAfterSpawningProcess: true)
        ) { execution in
            watchdog.arm(after: .seconds(timeoutSeconds)) {
                try? execution.send(signal: .kill, toProcessGroup: true)
            }
        }
        let isKilled = watchdog.disarm()
        var answer = CostAnswer(
            spawnedNanoseconds: spawned, exitStatus: nil, killedAfterSeconds: isKilled ? timeoutSeconds : nil,
            output: result.standardOutput)
        switch result.terminationStatus {
        case .exited(let status): answer.exitStatus = status
        case .signaled(let signal): answer.signal = signal
        }
        return answer
    }
}

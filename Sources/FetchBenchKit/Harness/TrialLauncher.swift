// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
package import Subprocess
import SystemPackage

/// Spawns a fresh process for each trial, samples it from outside, and kills it when its time is over or its memory
/// is over the limit.
///
/// One launcher serves a whole run, one trial at a time: its sampler's buffer is allocated once.
final class TrialLauncher: Sendable {
    /// How much an answer may have; a real one has a few kilobytes.
    private static let outputLimit = 4 << 20
    private static let complaintLimit = 400

    private let timeout: Duration
    private let memoryLimit: ByteCount?
    private let sampler: Sampler

    /// Creates a launcher.
    init(timeoutSeconds: Double, memoryLimit: ByteCount?) throws(MemProbeError) {
        timeout = .seconds(timeoutSeconds)
        self.memoryLimit = memoryLimit
        let schedule = SamplingSchedule.standard
        sampler = try Sampler(
            schedule: schedule, capacity: schedule.capacity(forNanoseconds: Int(timeoutSeconds * 1e9)))
    }

    /// Does one trial in `directory`, which exists and is removed by the caller.
    func launch(_ order: TrialOrder, environment: [String: String], directory: String) async throws -> ProcessEnd {
        // A file, not a pipe: a program that ends without reading it must not end the harness.
        let inputPath = directory + "/request.json"
        try WholeFile.write(order.document(), to: inputPath, name: "a trial's request")
        let inputFile = try FileDescriptor.open(FilePath(inputPath), .readOnly, options: [.closeOnExec])
        let complaintPath = directory + "/stderr"
        let complaintFile = try FileDescriptor.open(
            FilePath(complaintPath), .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: .ownerReadWrite)
        // A command's own process keeps its time limit; this is for the case that it cannot.
        let timeout = order.isCommand ? timeout + .seconds(5) : timeout
        do {
            return try await run(
                order, input: inputFile, complaints: complaintFile, complaintPath: complaintPath,
                environment: environment,
                directory: directory, timeout: timeout)
        } catch let error as SubprocessError where !Task.isCancelled {
            _ = sampler.stop()
            let reason = error.underlyingError?.description ?? "\(error.code)"
            return ProcessEnd(
                exitStatus: nil, signal: nil, timedOut: false, output: [], complaint: "", nanoseconds: 0,
                series: SampleSeries(samples: []), startFailure: reason)
        }
    }

    private func run(
        _ order: TrialOrder, input: FileDescriptor, complaints: FileDescriptor, complaintPath: String,
        environment: [String: String],
        directory: String, timeout: Duration
    ) async throws -> ProcessEnd {
        let watchdog = Watchdog()
        let start = MonotonicClock.now()
        let result = try await Subprocess.run(
            .path(FilePath(order.program)), arguments: order.arguments, environment: .sorted(environment),
            workingDirectory: FilePath(directory), platformOptions: Self.ownGroup,
            input: .fileDescriptor(input, closeAfterSpawningProcess: true), output: .bytes(limit: Self.outputLimit),
            error: .fileDescriptor(complaints, closeAfterSpawningProcess: true)
        ) { [sampler, memoryLimit] execution in
            let process = execution.processIdentifier.value
            // A child that has ended already leaves a series without samples; its own answer says why.
            try? sampler.start(.pid(process), residentLimit: memoryLimit)
            watchdog.arm(after: timeout) { try? execution.send(signal: .kill) }
        }
        let nanoseconds = MonotonicClock.now() - start
        let timedOut = watchdog.disarm()
        let series = sampler.stop()
        return ProcessEnd(
            exitStatus: result.terminationStatus.exitStatus, signal: result.terminationStatus.signal,
            timedOut: timedOut, output: result.standardOutput, complaint: Self.lastWords(in: complaintPath),
            nanoseconds: nanoseconds, series: series)
    }

    /// A group of its own, so that Ctrl-C reaches the harness alone, which then ends the trial.
    private static let ownGroup: PlatformOptions = {
        var options = PlatformOptions()
        options.processGroupID = 0
        return options
    }()

    private static func lastWords(in path: String) -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return "" }
        return LastWords.reason(in: text, limit: complaintLimit)
    }
}

extension Subprocess.Environment {
    /// The variables in the order of their names, so that the process's first page looks the same each time.
    package static func sorted(_ variables: [String: String]) -> Self {
        // Each ends with a zero byte of its own: the library copies up to the first one it meets.
        .custom(variables.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)\0".utf8) })
    }
}

extension TerminationStatus {
    /// The exit status, or `nil` where a signal ended the process.
    fileprivate var exitStatus: Int32? {
        if case .exited(let status) = self { status } else { nil }
    }

    /// The signal that ended the process, or `nil`.
    fileprivate var signal: Int32? {
        if case .signaled(let signal) = self { signal } else { nil }
    }
}

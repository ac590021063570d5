// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe
import OperatingSystem
import Synchronization

/// Runs orders in fresh processes, or in one that stays, for trials, commands, costs, descriptions and probes.
///
/// The tracer of commands stays, because many commands take less time than its start. Processes can be sampled from
/// outside, and are killed with all descendants at their time or memory limit. One launcher serves a whole run, one
/// process at a time, so that its sampler's buffer is allocated once.
package final class ProcessLauncher: Sendable {
    private let memoryLimit: ByteCount?
    private let sampler: Sampler?
    /// The process that stays, if any.
    private let resident = Mutex<ResidentChild?>(nil)
    /// The size of answers above which a process that stays is replaced: what it traces starts as its copy.
    private static let mostOfResident = 1 << 20

    package init() {
        (memoryLimit, sampler) = (nil, nil)
    }

    /// Samples processes for at most this time.
    package init(samplingSeconds: Double, memoryLimit: ByteCount?) throws(MemProbeError) {
        self.memoryLimit = memoryLimit
        let schedule = SamplingSchedule.standard
        sampler = try Sampler(
            schedule: schedule, capacity: schedule.capacity(forNanoseconds: Int(samplingSeconds * 1e9)))
    }

    /// Runs one order; `isSampled` is true if the process itself is measured.
    ///
    /// Secrets are redacted before messages are cut: a part of a secret would not be recognised.
    /// - Throws: `CancellationError` if the harness was stopped.
    package func launch(
        _ order: ProcessOrder, isSampled: Bool = false, redacting: @Sendable (String) -> String = { $0 }
    ) async throws -> ProcessEnd {
        let sampler = isSampled ? sampler : nil
        let unsampled = Mutex<MemProbeError?>(nil)
        let child = child(of: order)
        let end: ChildProcess.End
        let output: [UInt8]
        if let mark = order.mark {
            (end, output) = try await answer(of: child, to: order, markedBy: mark)
        } else {
            (end, output) = try await child.output(
                reading: order.document, limitedTo: order.outputLimit
            ) { [memoryLimit] process in
                do throws(MemProbeError) {
                    try sampler?.start(.pid(process), residentLimit: memoryLimit)
                } catch {
                    // One that has already ended gives the reason itself. Of any other the limit would not hold.
                    guard error.code != .noSuchProcess else { return }
                    unsampled.withLock { $0 = error }
                    kill(process, SIGKILL)
                }
            }
        }
        let series = sampler?.stop() ?? SampleSeries(samples: [])
        let ending = unsampled.withLock { $0 }.map { .notStarted("its memory cannot be sampled: \($0)") } ?? end.ending
        return ProcessEnd(
            ending: series.overLimit.map { .killedOverMemory($0) } ?? ending, output: output,
            complaint: end.lastWords(redacting: redacting), spawnedNanoseconds: end.spawnedNanoseconds,
            nanoseconds: end.nanoseconds, series: series,
            leftBehind: series.overLimit == nil ? end.leftBehind : nil)
    }

    /// Runs one order whose process is answered line by line, without counting that time.
    ///
    /// `onLine` gets each line with the process ID, and returns true to answer it.
    /// - Returns: the end, and the whole standard error.
    /// - Throws: errors of `onLine`; `CancellationError` if the harness was stopped.
    package func converse(
        _ order: ProcessOrder, onLine: @escaping @Sendable (String, Int32) async throws -> Bool
    ) async throws -> (end: ProcessEnd, complaints: String) {
        let end = try await child(of: order).conversation(limitedTo: order.outputLimit, onLine: onLine)
        let seen = ProcessEnd(
            ending: end.ending, output: [], complaint: end.lastWords(), spawnedNanoseconds: end.spawnedNanoseconds,
            nanoseconds: end.nanoseconds, series: SampleSeries(samples: []), leftBehind: end.leftBehind)
        return (seen, end.complaints.text)
    }

    private func child(of order: ProcessOrder) -> ChildProcess {
        ChildProcess(
            executable: order.program, name: order.name, arguments: order.arguments, environment: order.environment,
            directory: order.directory, limit: order.limit)
    }

    /// Gets an answer of the process that stays, starting one if there is none or it has ended.
    private func answer(
        of child: ChildProcess, to order: ProcessOrder, markedBy mark: String
    ) async throws -> (end: ChildProcess.End, output: [UInt8]) {
        let worker = resident.withLock { resident in
            if let resident, !resident.hasEnded { return resident }
            let new = child.resident(answerLimit: order.outputLimit)
            resident = new
            return new
        }
        let done = try await ChildProcess.answer(of: worker, to: order.document ?? "", limitedTo: order.outputLimit)
        let answer = CommandRequest.report(in: done.output, markedBy: mark)
        // Foreign output would be taken for the next answer, and a command's remains end with their tracer.
        if answer?.isLast ?? true || done.output.count > Self.mostOfResident { resident.withLock { $0 = nil } }
        return (done.end, answer?.report ?? done.output)
    }
}

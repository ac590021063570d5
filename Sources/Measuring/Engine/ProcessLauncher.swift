// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe
import Synchronization

/// Runs fresh processes, or one that stays, for trials, commands, costs, descriptions and probes.
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
    /// The `argv[0]` of all processes: its length is part of resident memory.
    private static let name = "trial"

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

    /// Runs a process to its end.
    ///
    /// - Parameters:
    ///   - document: its standard input; `nil` for none.
    ///   - outputLimit: the maximum size of its answer in bytes; a real one has a few kilobytes.
    ///   - isSampled: true if the process itself is measured.
    /// - Throws: `CancellationError` if the harness was stopped.
    package func launch(
        _ launch: ChildLaunch, reading document: String? = nil, outputLimit: Int = 4 << 20, isSampled: Bool = false
    ) async throws(CancellationError) -> ProcessEnd {
        var launch = launch
        launch.arguments[0] = Self.name
        if let document { launch.input = .bytes(Array(document.utf8)) }
        launch.output = .kept(limit: outputLimit)
        let sampler = isSampled ? sampler : nil
        let unsampled = Mutex<MemProbeError?>(nil)
        var end = try await launch.run { [memoryLimit] process in
            do throws(MemProbeError) {
                try sampler?.start(.pid(process), residentLimit: memoryLimit)
            } catch {
                // One that has already ended gives the reason itself. Of any other the limit would not hold.
                guard error.code != .noSuchProcess else { return }
                unsampled.withLock { $0 = error }
                kill(process, SIGKILL)
            }
        }
        if let sampler { end.series = sampler.stop() }
        if let error = unsampled.withLock({ $0 }) {
            end.ending = .notStarted("its memory cannot be sampled: \(error)")
        }
        if let reached = end.series.overLimit {
            end.ending = .killedOverMemory(reached)
            end.leftBehind = nil
        }
        return end
    }

    /// Gets an answer of the process that stays, starting one if there is none or it has ended.
    ///
    /// - Parameters:
    ///   - document: one line with its newline.
    ///   - mark: the beginning of the line that is the answer (``CommandRequest/answer(_:isLast:)``).
    /// - Returns: the end of this piece of work, as if it had been a process of its own.
    /// - Throws: `CancellationError` if the harness was stopped.
    func answer(
        of launch: ChildLaunch, to document: String, markedBy mark: String, outputLimit: Int
    ) async throws(CancellationError) -> ProcessEnd {
        let worker = resident.withLock { resident in
            if let resident, !resident.hasEnded { return resident }
            var launch = launch
            launch.arguments[0] = Self.name
            let new = ResidentChild(launch, answerLimit: outputLimit)
            resident = new
            return new
        }
        var end = try await worker.work(document)
        let answer = CommandRequest.report(in: end.output, markedBy: mark)
        // Foreign output would be taken for the next answer, and a command's remains end with their tracer.
        if answer?.isLast ?? true || end.output.count > Self.mostOfResident { resident.withLock { $0 = nil } }
        if let answer { end.output = answer.report }
        return end
    }
}

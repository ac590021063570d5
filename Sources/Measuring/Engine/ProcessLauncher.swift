// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import OperatingSystem
import Synchronization

/// Does an order in a fresh process, or in one that stays for the next order, and brings its answer: for trials, commands,
/// costs, what programs say of themselves and probes of behaviours alike.
///
/// What traces commands stays: many a command takes less time than that process to start.
///
/// It samples the process from outside, where that is asked for, and kills it when its time is over or its memory is over
/// the limit, with all that it has started. One launcher serves a whole run, one process at a time: its sampler's buffer is
/// allocated once.
package final class ProcessLauncher: Sendable {
    private let memoryLimit: ByteCount?
    private let sampler: Sampler?
    /// The process that stays, where one was asked for.
    private let resident = Mutex<ResidentChild?>(nil)
    /// What a process that stays may answer before it is taken for one that has grown: what it traces begins as its copy.
    private static let mostOfResident = 1 << 20

    /// Creates a launcher that samples nothing.
    package init() {
        (memoryLimit, sampler) = (nil, nil)
    }

    /// Creates a launcher that samples processes for as long as this.
    package init(samplingSeconds: Double, memoryLimit: ByteCount?) throws(MemProbeError) {
        self.memoryLimit = memoryLimit
        let schedule = SamplingSchedule.standard
        sampler = try Sampler(
            schedule: schedule, capacity: schedule.capacity(forNanoseconds: Int(samplingSeconds * 1e9)))
    }

    /// Does one order.
    /// - Parameters:
    ///   - isSampled: whether the process itself is what is measured.
    ///   - redacting: takes secrets out of a text: before it is cut, for a part of a secret is not found any more.
    /// - Throws: `CancellationError` where the harness was stopped.
    package func launch(
        _ order: ProcessOrder, isSampled: Bool = false, redacting: @Sendable (String) -> String = { $0 }
    ) async throws -> ProcessEnd {
        let sampler = isSampled ? sampler : nil
        let child = child(of: order)
        let end: ChildProcess.End
        let output: [UInt8]
        if let mark = order.mark {
            (end, output) = try await answer(of: child, to: order, markedBy: mark)
        } else {
            (end, output) = try await child.output(
                reading: order.document, limitedTo: order.outputLimit
            ) { [memoryLimit] process in
                // A child that has ended already leaves a series without samples; its own answer says why.
                try? sampler?.start(.pid(process), residentLimit: memoryLimit)
            }
        }
        let series = sampler?.stop() ?? SampleSeries(samples: [])
        return ProcessEnd(
            ending: series.overLimit.map { .killedOverMemory($0) } ?? end.ending, output: output,
            complaint: end.lastWords(redacting: redacting), spawnedNanoseconds: end.spawnedNanoseconds,
            nanoseconds: end.nanoseconds, series: series,
            leftBehind: series.overLimit == nil ? end.leftBehind : nil)
    }

    /// Does one order whose process is answered line by line while it runs; its time stands still meanwhile.
    /// - Parameter onLine: gets each line and the number of the process, and says whether to answer it.
    /// - Returns: its end, and what it wrote to standard error.
    /// - Throws: what `onLine` throws; `CancellationError` where the harness was stopped.
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

    /// The answer of the process that stays: a new one where there is none, or none any more.
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
        // What somebody else wrote would be answered for the next order, too; what a command left ends with its tracer.
        if answer?.isLast ?? true || done.output.count > Self.mostOfResident { resident.withLock { $0 = nil } }
        return (done.end, answer?.report ?? done.output)
    }
}

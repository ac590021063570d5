// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Support

/// Spawns a fresh process for each trial, samples it from outside, and kills it when its time is over or its memory
/// is over the limit.
///
/// One launcher serves a whole run, one trial at a time: its sampler's buffer is allocated once.
final class TrialLauncher: Sendable {
    /// How much an answer may have; a real one has a few kilobytes.
    private static let outputLimit = 4 << 20

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
    /// - Parameter redacting: takes secrets out of a text: before it is cut, for a part of a secret is not found any more.
    func launch(
        _ order: TrialOrder, environment: [String: String], directory: String,
        redacting: @Sendable (String) -> String
    ) async throws -> ProcessEnd {
        let document = try order.document()
        let child = ChildProcess(
            executable: order.program, name: "trial", arguments: order.arguments, environment: environment,
            directory: directory,
            // A command's own process keeps its time limit; this is for the case that it cannot.
            limit: order.isCommand ? timeout + .seconds(5) : timeout)
        let (end, output) = try await child.output(
            reading: document, limitedTo: Self.outputLimit
        ) { [sampler, memoryLimit] process in
            // A child that has ended already leaves a series without samples; its own answer says why.
            try? sampler.start(.pid(process), residentLimit: memoryLimit)
        }
        let series = sampler.stop()
        return ProcessEnd(
            ending: series.overLimit.map { .killedOverMemory($0) } ?? end.ending, output: output,
            complaint: end.lastWords(redacting: redacting), spawnedNanoseconds: end.spawnedNanoseconds,
            nanoseconds: end.nanoseconds, series: series,
            leftBehind: series.overLimit == nil ? end.leftBehind : nil)
    }
}

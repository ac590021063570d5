// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

/// The execution of the one case that a child measures.
struct ChildScope {
    let request: ChildRequest
    let folder: ChildFolder

    /// True for the requested case; every other one returns immediately.
    func isMeant(_ test: Test, _ key: CaseKey) -> Bool { request.test == "\(test.id)" && request.testCase == key }

    /// Runs the case and writes the answer, even if the case throws.
    func run(_ function: @Sendable () async throws -> Void) async throws {
        switch request.work {
        case .peak: try await runPeak(function)
        case .series(let work): try await runSeries(function, work)
        }
    }

    private func runPeak(_ function: @Sendable () async throws -> Void) async throws {
        var measurement: PeakMeasurement
        do throws(MemProbeError) {
            measurement = try PeakMeasurement()
        } catch {
            return try answer(.unmeasurable("\(error)"))
        }
        RecorderNote.send(.baseline)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await function())
        } catch {
            outcome = .failure(error)
        }
        let reading: ChildAnswer.Reading
        do throws(MemProbeError) {
            reading = .peak(try measurement.growth())
        } catch {
            reading = .unmeasurable("\(error)")
        }
        RecorderNote.send(.mark)
        RecorderNote.send(.end)
        try answer(reading)
        try outcome.get()
    }

    private func runSeries(_ function: @Sendable () async throws -> Void, _ work: SeriesWork) async throws {
        guard AllocatorStatistics.read() != nil else {
            return try answer(.unmeasurable("the allocator of this process (\(Self.allocator)) keeps no account"))
        }
        let end = ContinuousClock.now + .seconds(work.seconds)
        for _ in 0..<work.warmUp { try await function() }
        RecorderNote.send(.baseline)
        // Allocated before the first reading: a growing array would look like a leak.
        var series = [Int](repeating: 0, count: work.repetitions)
        var count = 0
        while count < work.repetitions, count < work.fewest || ContinuousClock.now < end {
            try await function()
            series[count] = AllocatorStatistics.read().map { $0.allocated.rawValue - ($0.cached?.rawValue ?? 0) } ?? 0
            count += 1
        }
        RecorderNote.send(.mark)
        RecorderNote.send(.end)
        try answer(.series(Array(series.prefix(count))))
    }

    private func answer(_ reading: ChildAnswer.Reading) throws {
        let answer = ChildAnswer(reading: reading, allocator: Self.allocator)
        try JSONEncoder().encode(answer).write(to: URL(fileURLWithPath: folder.answer), options: .atomic)
    }

    private static var allocator: String { AllocatorIdentity.current.name }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Libc
import MemProbe
import Testing

package enum ChildRole: Sendable {
    /// Runs tests normally and measures limits in children.
    case parent
    /// Runs and measures one case of one test.
    case child(ChildScope.Request, ChildFolder)
    /// Was started as a child but cannot read its request, so it must neither run tests nor start children.
    case lost

    static let current = ChildRole(
        variable: ProcessInfo.processInfo.environment[ChildFolder.variable], parent: starter())

    /// Returns the process that started this one, which is the parent of this one's keeper.
    private static func starter() -> Int32 {
        let stat = FileManager.default.contents(atPath: "/proc/\(getppid())/stat") ?? Data()
        // The name before the state and the parent may contain spaces and parentheses.
        let words = String(decoding: stat, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return words.count > 1 ? Int32(words[1]) ?? 0 : 0
    }

    /// Parses the role.
    ///
    /// A child's own children inherit the variable, but their parent is not the one that it names.
    package init(variable: String?, parent: Int32) {
        guard let variable, let colon = variable.firstIndex(of: ":"), Int32(variable[..<colon]) == parent else {
            self = .parent
            return
        }
        let folder = ChildFolder(path: String(variable[variable.index(after: colon)...]))
        guard let data = FileManager.default.contents(atPath: folder.request),
            let request = try? JSONDecoder().decode(ChildScope.Request.self, from: data)
        else {
            self = .lost
            return
        }
        self = .child(request, folder)
    }
}

/// The execution of the one case that a child measures.
package struct ChildScope {
    let request: Request
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
        let reading: Answer.Reading
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

    private func answer(_ reading: Answer.Reading) throws {
        let answer = Answer(reading: reading, allocator: Self.allocator)
        try JSONEncoder().encode(answer).write(to: URL(fileURLWithPath: folder.answer), options: .atomic)
    }

    private static var allocator: String { AllocatorIdentity.current.name }

    /// Tells the allocation recorder, if it is loaded, where growth begins and ends.
    enum RecorderNote {
        /// The instants, with the numbers of `CAllocationRecorder.h`.
        enum Instant: CInt {
            case baseline = 1
            case mark = 2
            case end = 3
        }

        private typealias Function = @convention(c) (CInt) -> Void

        // Looked up by name, because it is not linked. NULL stands for `RTLD_DEFAULT`, a macro.
        private static let function = dlsym(nil, "allocation_recorder_note").map {
            unsafeBitCast($0, to: Function.self)
        }

        static func send(_ instant: Instant) { function?(instant.rawValue) }
    }

    struct SeriesWork: Codable, Hashable, Sendable {
        /// The number of runs before the first reading.
        var warmUp: Int
        var repetitions: Int
        /// The number of readings to take even after the time limit.
        var fewest: Int
        /// The time limit for further readings in seconds, including the first runs.
        var seconds: Int
    }

    package struct Request: Codable, Sendable {
        enum Work: Codable, Hashable, Sendable {
            case peak
            /// Read the allocated bytes after each of many runs.
            case series(SeriesWork)
        }

        var test: String
        var testCase: CaseKey
        var work: Work
    }

    struct Answer: Codable, Sendable {
        enum Reading: Codable, Sendable {
            case peak(PeakGrowth)
            /// The allocated bytes after each repetition, as the allocator counts them.
            case series([Int])
            /// No reading is possible, for this reason.
            case unmeasurable(String)
        }

        var reading: Reading
        var allocator: String
    }
}

/// The folder for a child's documents, which the parent creates and removes.
package struct ChildFolder: Hashable, Sendable {
    /// The variable that makes a process a child: `PARENT:FOLDER`.
    static let variable = "MEMPROBE_TESTING_CHILD"

    package let path: String

    package init(path: String) { self.path = path }

    var request: String { path + "/request.json" }
    var answer: String { path + "/answer.json" }
    var events: String { path + "/events.jsonl" }
    var attachments: String { path + "/attachments" }
    var recordings: String { path + "/recordings" }
}

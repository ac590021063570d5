// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MemProbe

/// Fetches, verifies, renders and releases repeatedly, and reads the process after each time.
final class RepeatPlayer: ScenarioPlayer {
    /// The delays of the readings after the last repetition, in nanoseconds.
    static let returnDelays = [0, 100_000_000, 1_000_000_000, 5_000_000_000]

    private let stage: ScenarioStage
    private let variant: RepeatScenario.Variant?
    private let count: Int
    private let requests: [FetchRequest]
    private let renderer: any Renderer
    private let verifier = BodyVerifier()
    private var fetcher: (any Fetcher)?
    private var probe: ProcessProbe
    private var readings: RepeatReadings
    private var returned: [Int] = []
    private var kept: [FetchedBody] = []
    private var keptBlocks = KeptBlocks()
    private var body = AgreedBody()
    private var started = 0
    private var played = 0
    private var isCutShort = false
    private var cancels: RepeatCancels?

    init(_ stage: ScenarioStage, variant: RepeatScenario.Variant?, count: Int) throws {
        (self.stage, self.variant, self.count) = (stage, variant, count)
        requests = (1...max(1, stage.conditions.concurrency)).map { number in
            FetchRequest(url: stage.target, destination: "\(stage.directory)/repeated-\(number).body")
        }
        renderer = try stage.model.makeRenderer(stage.rendering)
        fetcher = try stage.makeFetcher()
        probe = try ProcessProbe(.current)
        readings = RepeatReadings(capacity: max(RepeatReadings.most(of: count), RepeatScenario.warmUpCount))
        returned.reserveCapacity(Self.returnDelays.count + 1)
        kept.reserveCapacity(variant == .keepBodies ? RepeatReadings.most(of: count) * requests.count : 0)
        if variant == .cancel { cancels = try RepeatCancels(on: stage.warmup, seed: stage.seed, count: count) }
    }

    func warmUp() async throws {
        try renderer.warmUp()
        let small = FetchRequest(url: stage.warmup, destination: requests[0].destination)
        for _ in 0..<RepeatScenario.poolingCount { try await fetchAndDrop(small) }
        try await RepeatCancels.fillPools()
        for number in 0..<RepeatScenario.warmUpCount { try await once(number) }
        kept.removeAll(keepingCapacity: true)
        readings.removeAll()
    }

    func play() async throws {
        started = MonotonicClock.now()
        var goal = count
        repeat {
            while played < goal {
                try await once(played)
                played += 1
            }
            goal = min(2 * goal, RepeatReadings.most(of: count))
            guard goal > played, readings.rise(after: count, each: requests.count) else { return }
            isCutShort = !stage.allowsDoubling(since: started)
        } while !isCutShort
    }

    func linger() async throws {
        let end = MonotonicClock.now()
        for delay in Self.returnDelays {
            let left = end + delay - MonotonicClock.now()
            if left > 0 { try await Task.sleep(nanoseconds: UInt64(left)) }
            returned.append(try probe.resident().resident.rawValue)
        }
        _ = AllocatorControl.purge()
        returned.append(try probe.resident().resident.rawValue)
    }

    func end() async {
        kept = []
        keptBlocks.removeAll()
        cancels?.finish()
        await fetcher?.invalidate()
        fetcher = nil
    }

    func reading() throws -> ScenarioReading {
        var series = readings.series
        series["returned_resident_bytes"] = returned
        var remarks = try cancels?.remarks(of: played, since: started) ?? []
        if isCutShort { remarks.append(RepeatReadings.remark) }
        return ScenarioReading(
            figures: ["scenario_requests": Double(played * requests.count)], series: series,
            trace: cancels?.trace ?? [], remarks: remarks, body: body.reading)
    }

    private func fetchAndDrop(_ request: FetchRequest) async throws {
        guard let fetcher else { return }
        try await fetcher.prepare(for: request)
        _ = try await fetcher.fetch(request)
        unlink(request.destination)
    }

    private func once(_ number: Int) async throws {
        switch variant {
        case .newSession: try await fetchAndUse(with: stage.makeFetcher())
        case .invalidatedSession:
            let fetcher = try stage.makeFetcher()
            try await fetchAndUse(with: fetcher)
            await fetcher.invalidate()
        case .cancel, .keepBlock, .keepBodies, nil: try await fetchAgain(number)
        }
        if variant == .keepBlock { keptBlocks.add() }
        try readings.append(&probe)
    }

    private func fetchAgain(_ number: Int) async throws {
        guard let fetcher else { return }
        guard let cancels else { return try await fetchAndUse(with: fetcher) }
        try await cancels.fetch(number, with: fetcher, to: requests[0].destination)
    }

    private func fetchAndUse(with fetcher: any Fetcher) async throws {
        for request in requests { try await fetcher.prepare(for: request) }
        var bodies = try await fetcher.fetch(requests)
        // Passed without a name, which would hold the body while a model releases it.
        while !bodies.isEmpty { try use(bodies.removeLast()) }
        for request in requests { unlink(request.destination) }
    }

    /// Verifies a body, renders it if the case does, and releases it unless it is kept on purpose.
    private func use(_ fetched: consuming FetchedBody) throws {
        let reading = try verifier.reading(of: fetched, by: stage.settings.verification)
        try body.take(reading)
        if variant == .keepBodies { kept.append(copy fetched) }
        if stage.model.needsBody { _ = try renderer.render(consume fetched) }
    }

    /// Blocks that a clean repetition would not keep: the control that proves that a verdict detects them.
    ///
    /// Each block points to the previous one, because a compiler removes unreachable ones.
    struct KeptBlocks {
        /// 56 bytes are a block of 64 with glibc's header, and in jemalloc's size class of 64.
        private static let byteCount = 56

        private var last: UnsafeMutableRawPointer?

        mutating func add() {
            let block = UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount, alignment: 16)
            block.storeBytes(of: last, as: UnsafeMutableRawPointer?.self)
            last = block
        }

        mutating func removeAll() {
            while let block = last {
                last = block.load(as: UnsafeMutableRawPointer?.self)
                block.deallocate()
            }
        }
    }
}

extension ScenarioStage {
    /// True if what was done since a time can be done again before the trial is ended.
    func allowsDoubling(since start: Int) -> Bool {
        2 * (MonotonicClock.now() - start) <= patienceSeconds * 1_000_000_000
    }
}

/// The readings after each repetition, in memory that is touched before the first one.
struct RepeatReadings: ~Copyable {
    /// The series, whose names a trial stores.
    private enum Series: Int, CaseIterable {
        case resident, anonymous, allocated

        var name: String { "\(self)_bytes" }
    }

    private let buffer: UnsafeMutableBufferPointer<Int>
    private let capacity: Int
    private var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        buffer = .allocate(capacity: capacity * Series.allCases.count)
        buffer.initialize(repeating: 0)
    }

    deinit { buffer.deallocate() }

    /// Reads the process; allocates nothing.
    mutating func append(_ probe: inout ProcessProbe) throws(MemProbeError) {
        let resident = try probe.resident()
        set(.resident, resident.resident.rawValue)
        set(.anonymous, (resident.resident - resident.shared).rawValue)
        // Memory in thread caches is free, and varies by hundreds of KiB from one request to the next.
        let account = AllocatorStatistics.read()
        set(.allocated, (account?.allocated.rawValue ?? 0) - (account?.cached?.rawValue ?? 0))
        count += 1
    }

    mutating func removeAll() { count = 0 }

    static let remark = "allocated memory rises, and there was no time to see whether it goes on: raise --timeout"

    /// The largest number of repetitions: what rises is followed for at least as long again as was asked for.
    static func most(of count: Int) -> Int { max(2 * count, 16_000) }

    /// The rise that no pool makes: those of libdispatch hold 80 KiB for each thread.
    ///
    /// No longer than that, as a thread that ends frees its pool: a drop in the midst of what rises.
    private static let enough = 112 * 1024
    /// The bytes of a pool that a thread frees when it ends, at least.
    private static let pool = 40_000

    /// The largest fall that lasts, if it is the end of a thread.
    private func fall(in values: Slice<UnsafeMutableBufferPointer<Int>>) -> Int {
        values.indices.dropFirst(2).dropLast().reduce(0) { fall, place in
            let here = min(values[place - 2], values[place - 1]) - max(values[place], values[place + 1])
            return here < Self.pool ? fall : max(fall, here)
        }
    }

    /// True if allocated memory seems to rise, and twice as many repetitions have to tell a leak from a pool that fills.
    ///
    /// A leak leaves as much for each request when their number doubles. It is asked from four bytes a request on, half
    /// of what a verdict needs, and from 1 KiB in all.
    /// - Parameters:
    ///   - asked: The number of readings that were asked for.
    ///   - requests: The number of requests before each reading.
    func rise(after asked: Int, each requests: Int) -> Bool {
        guard count >= 2 else { return false }
        let first = Series.allocated.rawValue * capacity
        let allocated = buffer[first..<first + count]
        let (start, end) = (allocated.prefix(max(1, count / 3)), allocated.suffix(max(1, count / 6)))
        // Not by medians: the memory for sorting makes glibc clear its bins of small blocks, which count as allocated.
        // From the middle of the first third to that of the last sixth: three quarters of the whole.
        let rise = (end.reduce(0, +) / end.count - start.reduce(0, +) / start.count) * 4 / 3 + fall(in: allocated)
        return rise >= max(4 * count * requests, 1024) && (count == asked || rise < Self.enough)
    }

    var series: [String: [Int]] {
        Dictionary(
            uniqueKeysWithValues: Series.allCases.map { series in
                (series.name, Array(buffer[series.rawValue * capacity..<series.rawValue * capacity + count]))
            })
    }

    private func set(_ series: Series, _ value: Int) {
        buffer[series.rawValue * capacity + count] = value
    }
}

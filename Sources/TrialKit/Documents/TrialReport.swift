// SPDX-License-Identifier: Apache-2.0

public import MemProbe

/// The answer of a trial's process on standard output.
public struct TrialReport: Codable, Hashable, Sendable {
    /// The version of this document, as in ``TrialRequest/understoodProtocols``.
    public var version: Int
    /// The malloc that the process runs on.
    public var allocator: AllocatorIdentity
    /// The exactness of the kernel's plain readings in this process: `exact`, `off by up to N KiB` or `unknown`.
    public var exactness: String
    /// True if transparent huge pages are off for this process.
    public var hugePagesDisabled: Bool
    /// The reading at the end of `warmup`, which growth counts from; `nil` if the trial ended earlier.
    public var baseline: Mark?
    /// The measured phases from `fetch` on, in order.
    public var phases: [PhaseReading]
    /// The reading after the settling time that follows `release`.
    public var settled: Mark?
    /// The reading after the allocator was asked to return its free memory.
    public var purged: Mark?
    /// The body, if one arrived.
    public var body: BodyReading?
    /// The picture, if one was decoded.
    public var picture: PictureReading?
    /// The number of decoded records, if records were decoded.
    public var recordCount: Int?
    /// True if a body was decoded before the fetch had ended, so that the figures of `fetch` include that; else `nil`.
    public var isDecodedWhileFetching: Bool?
    /// The result of the scenario, if there is one.
    public var scenario: ScenarioReading?
    /// The trace of the command that is the mode, if it is one.
    public var command: CommandTrace?
    /// The course of the allocator's account, if it was asked for; never stored with a trial.
    public var allocatorSeries: AllocatorSeries?
    /// The failure that ended the trial early, or `nil`.
    public var failure: Failure?

    /// A failure that ended a trial early.
    public struct Failure: Codable, Hashable, Sendable {
        /// The phase in which it happened.
        public var phase: Phase
        /// The raw value of a ``FetchFailure/Code`` or a ``RenderFailure/Code``.
        public var code: String
        /// A description.
        public var detail: String
        /// True if a limit stopped the trial before anything was allocated.
        public var isRejection: Bool

        /// Creates a failure.
        public init(phase: Phase, code: String, detail: String, isRejection: Bool) {
            (self.phase, self.code, self.detail) = (phase, code, detail)
            self.isRejection = isRejection
        }

        private enum CodingKeys: String, CodingKey {
            case phase, code, detail
            case isRejection = "rejected"
        }
    }

    /// Creates an empty report.
    /// - Parameters:
    ///   - version: The version of the request.
    ///   - allocator: The malloc that the process runs on.
    ///   - exactness: `exact`, `off by up to N KiB` or `unknown`.
    ///   - hugePagesDisabled: True if transparent huge pages are off for this process.
    public init(version: Int, allocator: AllocatorIdentity, exactness: String, hugePagesDisabled: Bool) {
        (self.version, self.allocator, self.exactness) = (version, allocator, exactness)
        self.hugePagesDisabled = hugePagesDisabled
        phases = []
    }

    private enum CodingKeys: String, CodingKey {
        case version, allocator, exactness, baseline, phases, settled, purged, body, picture, scenario, command, failure
        case hugePagesDisabled = "huge_pages_disabled"
        case recordCount = "records"
        case isDecodedWhileFetching = "decoded_while_fetching"
        case allocatorSeries = "allocator_series"
    }
}

/// All readings at the instant between two phases.
public struct Mark: Codable, Hashable, Sendable {
    /// The kernel's account of the process.
    public var memory: Snapshot
    /// The allocator's own account; `nil` if it has none.
    public var allocator: AllocatorStatistics?

    /// Creates a mark.
    public init(memory: Snapshot, allocator: AllocatorStatistics?) {
        (self.memory, self.allocator) = (memory, allocator)
    }
}

/// The readings of one phase.
public struct PhaseReading: Codable, Hashable, Sendable {
    /// The phase.
    public var phase: Phase
    /// The start on the monotonic clock, in nanoseconds.
    public var startNanoseconds: Int
    /// The end on the same clock.
    public var endNanoseconds: Int
    /// The CPU time of the process in the phase, in nanoseconds.
    public var cpuNanoseconds: Int
    /// The file-backed and shared resident memory at the start.
    public var startShared: ByteCount
    /// The highest resident size in the phase.
    public var peak: PeakReading
    /// The reading at the end.
    public var end: Mark

    /// Creates a reading.
    public init(
        phase: Phase, startNanoseconds: Int, endNanoseconds: Int, cpuNanoseconds: Int, startShared: ByteCount,
        peak: PeakReading, end: Mark
    ) {
        (self.phase, self.startNanoseconds) = (phase, startNanoseconds)
        (self.endNanoseconds, self.cpuNanoseconds) = (endNanoseconds, cpuNanoseconds)
        (self.startShared, self.peak, self.end) = (startShared, peak, end)
    }

    private enum CodingKeys: String, CodingKey {
        case phase, peak, end
        case startNanoseconds = "start_ns"
        case endNanoseconds = "end_ns"
        case cpuNanoseconds = "cpu_ns"
        case startShared = "start_shared_bytes"
    }
}

/// The verified body, or all bodies of a set: their bytes together, and the hash of their hashes.
public struct BodyReading: Codable, Hashable, Sendable {
    /// Its length.
    public var byteCount: ByteCount
    /// Its SHA-256 in hexadecimal; `nil` if only the length is verified.
    public var sha256: String?
    /// The CPU time of hashing it, in nanoseconds.
    public var verificationCPUNanoseconds: Int
    /// The bytes of its file in the page cache; `nil` without a file, or if they cannot be read.
    public var pageCache: ByteCount?
    /// The number of bodies of a set; `nil` for one asset, however often it was fetched.
    public var bodyCount: Int?

    private enum CodingKeys: String, CodingKey {
        case sha256
        case bodyCount = "bodies"
        case byteCount = "bytes"
        case verificationCPUNanoseconds = "verification_cpu_ns"
        case pageCache = "page_cache_bytes"
    }
}

/// A decoded picture.
public struct PictureReading: Codable, Hashable, Sendable {
    /// Its width in pixels.
    public var width: Int
    /// Its height in pixels.
    public var height: Int
    /// The bytes of all bitmaps alive at the end of `render`, by the ledger of their mappings.
    public var bitmapByteCount: ByteCount
    /// A remark on the figures of this picture, or `nil`.
    public var note: String?
    /// The number of bodies that were replaced by a fallback; `nil` if no mode shows pictures itself.
    public var fallbackCount: Int?

    private enum CodingKeys: String, CodingKey {
        case width, height, note
        case bitmapByteCount = "bitmap_bytes"
        case fallbackCount = "fallbacks"
    }
}

/// A named part of a trial, in the order of the cases.
public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
    /// The fetcher and the renderer are made.
    case idle
    /// The mode fetches 1 KiB, so that libraries, thread pools and connections exist.
    case warmup
    /// The measured fetch.
    case fetch
    /// The body is held and verified.
    case hold
    /// The body is rendered and the picture held.
    case render
    /// Everything is released.
    case release

    /// The phases with their own columns.
    public static let measured: [Phase] = [.fetch, .hold, .render, .release]

    /// The phases whose highest peak is the peak of the trial.
    public static let peaking: [Phase] = [.fetch, .hold, .render]
}

/// The result of a scenario: figures, series and the trace that it followed.
public struct ScenarioReading: Codable, Hashable, Sendable {
    /// The figures by name: those that the scenario declares (``FigureDeclaration``), and the inputs of computed ones.
    public var figures: [String: Double]
    /// The series of readings by name, each in the order of time.
    public var series: [String: [Int]]
    /// The trace drawn from the seed, one event per line; empty for none.
    public var trace: [String]
    /// Remarks on the figures of this trial, one sentence each.
    public var remarks: [String]
    /// Conclusions of this trial; a table shows those that most trials share.
    public var conclusions: [String]
    /// The reading of the one body that was fetched repeatedly; `nil` for several bodies.
    public var body: BodyReading?
    /// True if that body was fetched once, so that its copies in memory can be counted.
    public var isOneFetch: Bool

    /// Creates a reading.
    public init(
        figures: [String: Double] = [:], series: [String: [Int]] = [:], trace: [String] = [], remarks: [String] = [],
        conclusions: [String] = [], body: BodyReading? = nil, isOneFetch: Bool = false
    ) {
        (self.figures, self.series, self.trace) = (figures, series, trace)
        (self.remarks, self.conclusions, self.body) = (remarks, conclusions, body)
        self.isOneFetch = isOneFetch
    }

    /// Decodes a reading; missing values are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        figures = try container.decodeIfPresent([String: Double].self, forKey: .figures) ?? [:]
        series = try container.decodeIfPresent([String: [Int]].self, forKey: .series) ?? [:]
        trace = try container.decodeIfPresent([String].self, forKey: .trace) ?? []
        remarks = try container.decodeIfPresent([String].self, forKey: .remarks) ?? []
        conclusions = try container.decodeIfPresent([String].self, forKey: .conclusions) ?? []
        body = try container.decodeIfPresent(BodyReading.self, forKey: .body)
        isOneFetch = try container.decodeIfPresent(Bool.self, forKey: .isOneFetch) ?? false
    }

    private enum CodingKeys: String, CodingKey {
        case figures, series, trace, remarks, conclusions, body
        case isOneFetch = "one_fetch"
    }
}

/// The memory of a trial's process and the account of its allocator in time, read by a thread of the process itself.
///
/// It is made in an extra trial, never in a measured one. A sample is at the same place in each column.
public struct AllocatorSeries: Codable, Hashable, Sendable {
    /// The times of the samples on the monotonic clock, in nanoseconds, in ascending order.
    public var times: [Int]
    /// The resident set of the process.
    public var resident: [ByteCount]
    /// The resident pages of the process that no file backs.
    public var anonymous: [ByteCount]
    /// `AllocatorStatistics.allocated`.
    public var allocated: [ByteCount]
    /// `AllocatorStatistics.active`; `nil` if the allocator does not report it.
    public var active: [ByteCount]?
    /// `AllocatorStatistics.resident`; `nil` if the allocator does not report it.
    public var residentOfAllocator: [ByteCount]?
    /// `AllocatorStatistics.mapped`; `nil` if the allocator does not report it.
    public var mapped: [ByteCount]?
    /// `AllocatorStatistics.retained`; `nil` if the allocator does not report it.
    public var retained: [ByteCount]?

    /// The version of the documents that can ask for a series.
    package static let documentVersion = 8

    /// The time after which samples are taken ten times less often.
    package static let wholeNanoseconds = 60_000_000_000

    /// The most samples of a series: at 5 ms those of seven minutes.
    package static let mostSamples = 20_000

    package init(_ samples: [AllocatorSampler.Sample]) {
        func column(_ size: (AllocatorStatistics) -> ByteCount?) -> [ByteCount]? {
            let sizes = samples.compactMap { size($0.allocator) }
            return sizes.isEmpty || sizes.count < samples.count ? nil : sizes
        }
        times = samples.map(\.timeNanoseconds)
        resident = samples.map(\.memory.resident)
        anonymous = samples.map(\.memory.anonymous)
        allocated = samples.map(\.allocator.allocated)
        active = column(\.active)
        residentOfAllocator = column(\.resident)
        mapped = column(\.mapped)
        retained = column(\.retained)
    }

    private enum CodingKeys: String, CodingKey {
        case times = "time_ns"
        case resident = "resident_bytes"
        case anonymous = "anonymous_bytes"
        case allocated = "allocator_allocated_bytes"
        case active = "allocator_active_bytes"
        case residentOfAllocator = "allocator_resident_bytes"
        case mapped = "allocator_mapped_bytes"
        case retained = "allocator_retained_bytes"
    }
}

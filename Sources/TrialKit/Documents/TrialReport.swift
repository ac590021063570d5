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
            self.phase = phase
            self.code = code
            self.detail = detail
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
        self.version = version
        self.allocator = allocator
        self.exactness = exactness
        self.hugePagesDisabled = hugePagesDisabled
        phases = []
    }

    private enum CodingKeys: String, CodingKey {
        case version, allocator, exactness, baseline, phases, settled, purged, body, picture, scenario, command, failure
        case hugePagesDisabled = "huge_pages_disabled"
        case recordCount = "records"
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
        self.memory = memory
        self.allocator = allocator
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
        self.phase = phase
        self.startNanoseconds = startNanoseconds
        self.endNanoseconds = endNanoseconds
        self.cpuNanoseconds = cpuNanoseconds
        self.startShared = startShared
        self.peak = peak
        self.end = end
    }

    private enum CodingKeys: String, CodingKey {
        case phase, peak, end
        case startNanoseconds = "start_ns"
        case endNanoseconds = "end_ns"
        case cpuNanoseconds = "cpu_ns"
        case startShared = "start_shared_bytes"
    }
}

/// The verified body.
public struct BodyReading: Codable, Hashable, Sendable {
    /// Its length.
    public var byteCount: ByteCount
    /// Its SHA-256 in hexadecimal; `nil` if only the length is verified.
    public var sha256: String?
    /// The CPU time of hashing it, in nanoseconds.
    public var verificationCPUNanoseconds: Int
    /// The bytes of its file in the page cache; `nil` without a file, or if they cannot be read.
    public var pageCache: ByteCount?

    private enum CodingKeys: String, CodingKey {
        case sha256
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

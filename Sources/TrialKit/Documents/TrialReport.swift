// SPDX-License-Identifier: Apache-2.0

public import MemProbe

/// The one document with which a trial's process answers, on standard output.
public struct TrialReport: Codable, Hashable, Sendable {
    /// The version of this document, as in ``TrialRequest/understoodProtocols``.
    public var version: Int
    /// The malloc that the process really runs on.
    public var allocator: AllocatorIdentity
    /// How exact the kernel's plain readings were when the process tried them.
    public var exactness: String
    /// Whether transparent huge pages are off for this process.
    public var hugePagesDisabled: Bool
    /// The reading at the end of `warmup`: what growth is counted from; `nil` where the trial did not come so far.
    public var baseline: Mark?
    /// The phases from `fetch` on that were measured, in order.
    public var phases: [PhaseReading]
    /// The reading after the settling time that follows `release`.
    public var settled: Mark?
    /// The reading after the allocator was asked to give everything back.
    public var purged: Mark?
    /// The body, where one arrived.
    public var body: BodyReading?
    /// What was decoded, where something was.
    public var picture: PictureReading?
    /// What the scenario came to, where one was played.
    public var scenario: ScenarioReading?
    /// What was traced of the command that is the mode, where it is one.
    public var command: CommandTrace?
    /// What ended the trial early, or `nil`.
    public var failure: Failure?

    /// What ended a trial early.
    public struct Failure: Codable, Hashable, Sendable {
        /// In which phase.
        public var phase: Phase
        /// A word of ``FetchFailure/Code`` or ``RenderFailure/Code``.
        public var code: String
        /// What happened.
        public var detail: String
        /// Whether a limit stopped it before anything was allocated.
        public var isRejection: Bool

        /// Creates the end of a trial.
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

    /// Creates the empty answer of a process.
    /// - Parameters:
    ///   - version: that of the request.
    ///   - allocator: the malloc that the process really runs on.
    ///   - exactness: how exact the kernel's plain readings are: `exact`, `off by up to N KiB` or `unknown`.
    ///   - hugePagesDisabled: whether transparent huge pages are off for this process.
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
    }
}

/// Everything that is read at the instant between two phases.
public struct Mark: Codable, Hashable, Sendable {
    /// The kernel's account of the process.
    public var memory: Snapshot
    /// The allocator's own account, or `nil` where it keeps none.
    public var allocator: AllocatorStatistics?

    /// Creates a mark.
    public init(memory: Snapshot, allocator: AllocatorStatistics?) {
        self.memory = memory
        self.allocator = allocator
    }
}

/// One phase as the process saw it.
public struct PhaseReading: Codable, Hashable, Sendable {
    /// Which phase.
    public var phase: Phase
    /// When it began, on the monotonic clock, in nanoseconds.
    public var startNanoseconds: Int
    /// When it ended, on the same clock.
    public var endNanoseconds: Int
    /// The CPU time of the process in it, in nanoseconds.
    public var cpuNanoseconds: Int
    /// The file-backed and shared memory resident when it began.
    public var startShared: ByteCount
    /// The highest resident size in it.
    public var peak: PeakReading
    /// The reading that ends it.
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

/// The body as the process verified it.
public struct BodyReading: Codable, Hashable, Sendable {
    /// Its length.
    public var byteCount: ByteCount
    /// Its SHA-256 in hexadecimal, or `nil` where only the length is verified.
    public var sha256: String?
    /// The CPU time of hashing it, in nanoseconds.
    public var verificationCPUNanoseconds: Int
    /// What of its file is in the page cache, or `nil` where there is no file or no way to tell.
    public var pageCache: ByteCount?

    private enum CodingKeys: String, CodingKey {
        case sha256
        case byteCount = "bytes"
        case verificationCPUNanoseconds = "verification_cpu_ns"
        case pageCache = "page_cache_bytes"
    }
}

/// What was decoded.
public struct PictureReading: Codable, Hashable, Sendable {
    /// The width of what was decoded, in pixels.
    public var width: Int
    /// The height of what was decoded, in pixels.
    public var height: Int
    /// The bytes of bitmaps alive at the end of `render`, by the ledger of their mappings: those of all pictures.
    public var bitmapByteCount: ByteCount
    /// What a reader of its figures has to know of this picture, or `nil`.
    public var note: String?
    /// How many bodies could not be decoded, so that a fallback was shown; `nil` where no mode showed pictures by itself.
    public var fallbackCount: Int?

    private enum CodingKeys: String, CodingKey {
        case width, height, note
        case bitmapByteCount = "bitmap_bytes"
        case fallbackCount = "fallbacks"
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Every reading of a process at one instant, taken at a mark.
///
/// `nil` means that the kernel does not give the value; 0 is a measurement.
public struct Snapshot: Codable, Hashable, Sendable {
    /// The time at the beginning of the reading, in nanoseconds of `CLOCK_MONOTONIC`.
    public var timeNanoseconds: Int
    /// The resident set (RSS): `VmRSS`, and `HugetlbPages`, which it lacks.
    public var resident: ByteCount
    /// The resident pages that no file backs: `RssAnon`, before kernel 4.5 resident minus shared of `statm`, and
    /// `HugetlbPages`.
    public var anonymous: ByteCount
    /// The resident pages of files: `RssFile`, `nil` before kernel 4.5.
    public var file: ByteCount?
    /// The resident pages of shared memory: `RssShmem`, `nil` before kernel 4.5.
    public var shmem: ByteCount?
    /// The anonymous pages that are swapped out: `VmSwap`.
    public var swapped: ByteCount?
    /// The kernel's high-water mark of the resident set: `VmHWM`, `nil` in sandboxes that keep none.
    public var peakResident: ByteCount?
    /// The proportional set (PSS), each page divided by its number of users: `Pss` of `smaps_rollup`.
    ///
    /// `nil` if the kernel hides the file or is older than 4.14.
    public var proportional: ByteCount?
    /// The unique set (USS), the pages that no other process maps: `Private_Clean` plus `Private_Dirty`.
    public var unique: ByteCount?
    /// The *program pages*: the resident pages of the files that the process maps executable.
    ///
    /// These are the program, its libraries and the loader, without the pages that the process has written to. Their
    /// number depends on the page cache, not on the program alone: two files with the same bytes differ by megabytes.
    /// Subtract them before you compare. `nil` if the kernel hides `pagemap`.
    public var programPages: ByteCount?
    /// The page faults served without reading a disk, since the process began.
    public var minorFaults: Int
    /// The page faults that waited for a disk, since the process began.
    public var majorFaults: Int
    /// The number of threads.
    public var threads: Int
    /// The CPU time of the process in nanoseconds; for other processes in steps of a clock tick (10 ms).
    public var cpuNanoseconds: Int

    /// Creates a snapshot from readings taken elsewhere.
    public init(
        timeNanoseconds: Int, resident: ByteCount, anonymous: ByteCount, file: ByteCount? = nil,
        shmem: ByteCount? = nil, swapped: ByteCount? = nil, peakResident: ByteCount? = nil,
        proportional: ByteCount? = nil, unique: ByteCount? = nil, programPages: ByteCount? = nil, minorFaults: Int = 0,
        majorFaults: Int = 0, threads: Int, cpuNanoseconds: Int
    ) {
        (self.timeNanoseconds, self.resident) = (timeNanoseconds, resident)
        (self.anonymous, self.file, self.shmem) = (anonymous, file, shmem)
        (self.swapped, self.peakResident) = (swapped, peakResident)
        (self.proportional, self.unique) = (proportional, unique)
        (self.programPages, self.minorFaults) = (programPages, minorFaults)
        (self.majorFaults, self.threads) = (majorFaults, threads)
        self.cpuNanoseconds = cpuNanoseconds
    }

    private enum CodingKeys: String, CodingKey {
        case timeNanoseconds = "time_ns"
        case resident = "resident_bytes"
        case anonymous = "anonymous_bytes"
        case file = "file_bytes"
        case shmem = "shmem_bytes"
        case swapped = "swapped_bytes"
        case peakResident = "peak_resident_bytes"
        case proportional = "proportional_bytes"
        case unique = "unique_bytes"
        case programPages = "program_bytes"
        case minorFaults = "minor_faults"
        case majorFaults = "major_faults"
        case threads
        case cpuNanoseconds = "cpu_ns"
    }
}

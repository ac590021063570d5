// SPDX-License-Identifier: Apache-2.0

/// The sums of `/proc/PID/smaps_rollup`, for which the kernel walks all page tables of the process.
package struct SmapsRollup: Hashable, Sendable, ParsedText {
    /// `Rss` by the page tables, exact on every kernel, and the pages of huge page pools, which it lacks.
    package var resident: ByteCount
    /// `Pss`: every page divided by the number of processes that map it; with the pages of huge page pools that no
    /// other process maps.
    package var proportional: ByteCount
    /// `Private_Clean`, `Private_Dirty` and `Private_Hugetlb`: the pages that no other process maps.
    package var unique: ByteCount
    /// `Anonymous` and the pages of huge page pools: those that no file backs, `nil` if the kernel omits the line.
    package var anonymous: ByteCount?
    /// `Pss_Anon`, `Pss_File` and `Pss_Shmem`, `nil` on kernels before 5.9.
    package var proportionalParts: ProportionalReading?

    /// - Throws: ``MemProbeError/Code/malformed`` with the name of a field that is missing or not a size in `kB`.
    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        var found = Found()
        while !scanner.isAtEnd(of: text) {
            try found.read(&scanner, text)
            scanner.skipLine(in: text)
        }
        let (own, others) = (found.privateHugetlb ?? .zero, found.sharedHugetlb ?? .zero)
        let huge = try Self.sum(own, others, "Shared_Hugetlb")
        resident = try Self.sum(Self.require(found.resident, "Rss"), huge, "Private_Hugetlb")
        proportional = try Self.sum(Self.require(found.proportional, "Pss"), own, "Private_Hugetlb")
        let clean = try Self.require(found.privateClean, "Private_Clean")
        let dirty = try Self.require(found.privateDirty, "Private_Dirty")
        unique = try Self.sum(Self.sum(clean, dirty, "Private_Dirty"), own, "Private_Hugetlb")
        anonymous = try found.anonymous.map { size throws(MemProbeError) in
            try Self.sum(size, huge, "Private_Hugetlb")
        }
        if let anonymous = found.proportionalAnonymous, let file = found.proportionalFile,
            let shmem = found.proportionalShmem
        {
            proportionalParts = ProportionalReading(
                anonymous: try Self.sum(anonymous, own, "Private_Hugetlb"), file: file, shmem: shmem)
        }
    }

    private static func sum(
        _ one: ByteCount, _ other: ByteCount, _ name: StaticString
    ) throws(MemProbeError) -> ByteCount {
        let (sum, overflow) = one.rawValue.addingReportingOverflow(other.rawValue)
        guard !overflow else { throw MemProbeError(.malformed, source: "\(name)") }
        return ByteCount(sum)
    }

    private static func require(_ size: ByteCount?, _ name: StaticString) throws(MemProbeError) -> ByteCount {
        guard let size else { throw MemProbeError(.malformed, source: "\(name)") }
        return size
    }

    private struct Found {
        var resident: ByteCount?
        var proportional: ByteCount?
        var proportionalAnonymous: ByteCount?
        var proportionalFile: ByteCount?
        var proportionalShmem: ByteCount?
        var privateClean: ByteCount?
        var privateDirty: ByteCount?
        var anonymous: ByteCount?
        var privateHugetlb: ByteCount?
        var sharedHugetlb: ByteCount?

        mutating func read(_ scanner: inout ByteScanner, _ text: Span<UInt8>) throws(MemProbeError) {
            if let size = try scanner.kilobytes("Rss", in: text) {
                resident = size
            } else if let size = try scanner.kilobytes("Pss", in: text) {
                proportional = size
            } else if let size = try scanner.kilobytes("Pss_Anon", in: text) {
                proportionalAnonymous = size
            } else if let size = try scanner.kilobytes("Pss_File", in: text) {
                proportionalFile = size
            } else if let size = try scanner.kilobytes("Pss_Shmem", in: text) {
                proportionalShmem = size
            } else if let size = try scanner.kilobytes("Private_Clean", in: text) {
                privateClean = size
            } else if let size = try scanner.kilobytes("Private_Dirty", in: text) {
                privateDirty = size
            } else if let size = try scanner.kilobytes("Anonymous", in: text) {
                anonymous = size
            } else if let size = try scanner.kilobytes("Private_Hugetlb", in: text) {
                privateHugetlb = size
            } else if let size = try scanner.kilobytes("Shared_Hugetlb", in: text) {
                sharedHugetlb = size
            }
        }
    }
}

/// The proportional set size of a process: each page divided by the number of processes that map it.
package struct ProportionalReading: Hashable, Sendable {
    package var anonymous: ByteCount
    package var file: ByteCount
    package var shmem: ByteCount

    package init(anonymous: ByteCount, file: ByteCount, shmem: ByteCount) {
        (self.anonymous, self.file, self.shmem) = (anonymous, file, shmem)
    }
}

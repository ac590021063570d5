// SPDX-License-Identifier: Apache-2.0

/// The sums of `/proc/PID/smaps_rollup`, for which the kernel walks all page tables of the process.
package struct SmapsRollup: Hashable, Sendable, ParsedText {
    /// `Rss`: the resident set by the page tables, exact on every kernel.
    package var resident: ByteCount
    /// `Pss`: every page divided by the number of processes that map it.
    package var proportional: ByteCount
    /// `Private_Clean` plus `Private_Dirty`: the pages that no other process maps.
    package var unique: ByteCount
    /// `Anonymous`: the pages that no file backs, `nil` if the kernel omits the line.
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
        resident = try Self.require(found.resident, "Rss")
        proportional = try Self.require(found.proportional, "Pss")
        let clean = try Self.require(found.privateClean, "Private_Clean")
        let dirty = try Self.require(found.privateDirty, "Private_Dirty")
        let (sum, overflow) = clean.rawValue.addingReportingOverflow(dirty.rawValue)
        guard !overflow else { throw MemProbeError(.malformed, source: "Private_Dirty") }
        unique = ByteCount(sum)
        anonymous = found.anonymous
        if let anonymous = found.proportionalAnonymous, let file = found.proportionalFile,
            let shmem = found.proportionalShmem
        {
            proportionalParts = ProportionalReading(anonymous: anonymous, file: file, shmem: shmem)
        }
    }

    private static func require(_ size: ByteCount?, _ name: StaticString) throws(MemProbeError) -> ByteCount {
        guard let size else { throw MemProbeError(.malformed, source: "\(name)") }
        return size
    }
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
        }
    }
}

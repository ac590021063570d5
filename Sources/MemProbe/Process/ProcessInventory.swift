// SPDX-License-Identifier: Apache-2.0

/// The resources of a process at one instant: memory by what backs it, threads, descriptors and libraries.
///
/// Sizes are in bytes and multiples of a page. `nil` means that the kernel does not show the value; 0 is a measurement.
///
/// *Private* is the kernel's term for a page that no other process maps at that moment, whatever its purpose: a page of
/// a library becomes shared as soon as another process maps it. ``privateFile`` and ``sharedFile`` therefore depend on
/// other processes; their sum does not.
public struct ProcessInventory: Codable, Hashable, Sendable {
    /// The resident set, shared pages in full: the sum of the three parts.
    ///
    /// `Rss` of `smaps_rollup`, or if that is hidden, the second field of `statm`.
    public var resident: ByteCount
    /// The resident pages that no file backs: heap, stacks, and pages of files that the process has written to.
    ///
    /// `Anonymous` of `smaps_rollup`, or if that is hidden, resident minus shared of `statm`.
    public var anonymous: ByteCount
    /// The resident pages of files that only this process maps at that moment; `nil` if `smaps_rollup` is hidden.
    ///
    /// `Private_Clean` plus `Private_Dirty` minus `Anonymous`. It includes shared memory that no other process maps.
    public var privateFile: ByteCount?
    /// The resident pages of files that other processes map, too; `nil` if `smaps_rollup` is hidden.
    ///
    /// `Rss` minus ``anonymous`` minus ``privateFile``. It includes shared memory that other processes map.
    public var sharedFile: ByteCount?
    /// The number of threads: field 20 of `stat`.
    public var threads: Int
    /// The number of open descriptors, without those that the reading opens; `nil` if `fd` is hidden.
    public var descriptors: Int?
    /// The files mapped executable other than the program, each once; `nil` if `maps` is hidden.
    public var libraries: [LoadedLibrary]?

    /// Creates an inventory from readings taken elsewhere.
    public init(
        resident: ByteCount, anonymous: ByteCount, privateFile: ByteCount? = nil, sharedFile: ByteCount? = nil,
        threads: Int, descriptors: Int? = nil, libraries: [LoadedLibrary]? = nil
    ) {
        self.resident = resident
        self.anonymous = anonymous
        self.privateFile = privateFile
        self.sharedFile = sharedFile
        self.threads = threads
        self.descriptors = descriptors
        self.libraries = libraries
    }

    private enum CodingKeys: String, CodingKey {
        case threads, descriptors, libraries
        case resident = "resident_bytes"
        case anonymous = "anonymous_bytes"
        case privateFile = "private_file_bytes"
        case sharedFile = "shared_file_bytes"
    }
}

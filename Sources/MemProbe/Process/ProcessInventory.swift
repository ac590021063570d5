// SPDX-License-Identifier: Apache-2.0

/// What a process has at one instant: its memory by what backs it, its threads, its descriptors, its libraries.
///
/// Sizes are in bytes and multiples of a page. What the kernel does not show is `nil`; 0 is a measurement.
///
/// *Private* is the kernel's word, and says who maps a page at that moment, not what it is for: a page of a library is
/// private while no other process maps it, and shared as soon as one does. So ``privateFile`` and ``sharedFile`` depend
/// on what else runs on the machine, their sum does not.
public struct ProcessInventory: Codable, Hashable, Sendable {
    /// The resident set: every page that is in memory, shared ones in full; the sum of the three parts.
    ///
    /// `Rss` of `smaps_rollup`; where that is hidden, the second field of `statm`.
    public var resident: ByteCount

    /// The resident pages that no file backs: heap, stacks, and the pages of files that the process has written to.
    ///
    /// `Anonymous` of `smaps_rollup`; where that is hidden, resident minus shared of `statm`.
    public var anonymous: ByteCount

    /// The resident pages of files that this process alone maps at that moment; `nil` where `smaps_rollup` is hidden.
    ///
    /// `Private_Clean` plus `Private_Dirty` minus `Anonymous`. Shared memory that nobody else maps is in it, too.
    public var privateFile: ByteCount?

    /// The resident pages of files that other processes map, too; `nil` where `smaps_rollup` is hidden.
    ///
    /// `Rss` minus ``anonymous`` minus ``privateFile``. Shared memory that others map is in it, too.
    public var sharedFile: ByteCount?

    /// How many threads there are: field 20 of `stat`.
    public var threads: Int

    /// How many descriptors are open, without those that reading opens; `nil` where `fd` is hidden.
    public var descriptors: Int?

    /// The files that are mapped executable beside the program, each once; `nil` where `maps` is hidden.
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

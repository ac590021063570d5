// SPDX-License-Identifier: Apache-2.0

import Libc

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
        (self.resident, self.anonymous, self.privateFile) = (resident, anonymous, privateFile)
        (self.sharedFile, self.threads, self.descriptors) = (sharedFile, threads, descriptors)
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

extension ProcessInventory {
    /// The buffer for the files of memory and counters, all below 1.5 KiB; it is small because reading must not grow
    /// what is read.
    private static let roomForCounters = 4096

    /// Reads the inventory of a process.
    ///
    /// The memory is read first, with a buffer of one page; the rest allocates tens of kilobytes, which appear in a
    /// second reading of the calling process. It walks all page tables, which takes milliseconds in a large process.
    ///
    /// It reads `/proc/PID/smaps_rollup`, `stat`, `fd`, `maps` and `exe`.
    ///
    /// - Parameters:
    ///   - target: the process.
    ///   - procRoot: the folder to read in the place of `/proc`, for recorded files.
    /// - Throws: ``MemProbeError/Code/noSuchProcess`` if the process does not exist or has ended,
    ///   ``MemProbeError/Code/malformed`` if a file cannot be parsed.
    public static func read(
        _ target: ProcessTarget = .current, procRoot: String = "/proc"
    ) throws(MemProbeError) -> ProcessInventory {
        let folder = try Descriptor(openingFolderOf: target, in: procRoot)
        let text = TextBuffer(capacity: roomForCounters)
        var inventory = try memory(of: folder, through: text)
        let own = target == .current ? folder.number : nil
        inventory.descriptors = countDescriptors(in: "\(folder.path)/fd", without: own)
        inventory.libraries = try libraries(of: folder)
        return inventory
    }

    private static func memory(
        of folder: borrowing Descriptor, through text: borrowing TextBuffer
    ) throws(MemProbeError) -> ProcessInventory {
        let rollup = try SmapsRollup.read(in: folder, through: text)
        let stat = try Descriptor(opening: "stat", in: folder)
        let threads = try StatFile(parsing: text.prefix(try stat.read(into: text)).span).threads
        guard let rollup, let parts = try ResidentParts(rollup) else {
            let reading = try ResidentFile(in: folder).read(into: text, pageSize: PeakErrorBound.pageSize)
            return ProcessInventory(resident: reading.resident, anonymous: reading.anonymous, threads: threads)
        }
        return ProcessInventory(
            resident: parts.resident, anonymous: parts.anonymous, privateFile: parts.privateFile,
            sharedFile: parts.sharedFile, threads: threads)
    }

    /// Counts the open descriptors but for `own`, which this reading has opened itself; `nil` if they are hidden.
    private static func countDescriptors(in path: String, without own: CInt?) -> Int? {
        guard var stream = FolderStream(path) else { return nil }
        let ignored = own.map { [$0, stream.descriptor] } ?? []
        var count = 0
        while let name = stream.next() {
            if let number = CInt(name), !ignored.contains(number) { count += 1 }
        }
        return count
    }

    /// Reads the mapped libraries; `nil` if the kernel hides them.
    private static func libraries(of folder: borrowing Descriptor) throws(MemProbeError) -> [LoadedLibrary]? {
        do {
            let maps = try Descriptor(opening: "maps", in: folder)
            // A variable, because the compiler (6.3) loses a temporary that has lent its span if the callee throws.
            let bytes = try maps.readWhole()
            let files = try ExecutableFiles(parsing: bytes.span)
            let program = SystemText.target(ofLink: "\(folder.path)/exe")
            return files.paths.filter { $0 != program }.map { LoadedLibrary(path: $0, fileSize: fileSize($0)) }
        } catch {
            if error.saysHidden { return nil }
            throw error
        }
    }

    private static func fileSize(_ path: String) -> ByteCount? {
        var attributes = stat()
        return SystemText.withCString(path) { stat($0, &attributes) } == 0 ? ByteCount(Int(attributes.st_size)) : nil
    }
}

extension Descriptor {
    /// Reads a file of any length from its current position to its end.
    borrowing func readWhole() throws(MemProbeError) -> [UInt8] {
        let text = TextBuffer()
        var bytes: [UInt8] = []
        while true {
            let count = try readOn(into: text.start, atMost: text.capacity)
            guard count > 0 else { return bytes }
            bytes += text.prefix(count)
        }
    }
}

/// A file that a process maps executable in addition to its program: a shared library, or the loader.
public struct LoadedLibrary: Codable, Hashable, Sendable {
    /// The path, as the kernel names it.
    public var path: String
    /// The length of the file, not its resident part; `nil` if the path no longer exists.
    public var fileSize: ByteCount?

    /// Creates a library.
    public init(path: String, fileSize: ByteCount?) {
        (self.path, self.fileSize) = (path, fileSize)
    }

    private enum CodingKeys: String, CodingKey {
        case path
        case fileSize = "file_bytes"
    }
}

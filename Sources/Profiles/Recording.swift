// SPDX-License-Identifier: Apache-2.0

package import Texts

/// One capture of a process by `Sources/C/CAllocationRecorder`: every recorded block, and every page of its memory.
package struct Recording: Sendable {
    struct Block: Hashable, Sendable {
        var address: UInt64
        var size: UInt64
        /// The bytes that it represents: its size, or more for a sample of small blocks.
        var weight: UInt64
        /// The index of its innermost frame in ``Recording/frames``.
        var stack: Int
        var isSample: Bool
        var isMapping: Bool

        var range: Range<UInt64> { address..<address + size }
    }

    struct Frame: Hashable, Sendable {
        var address: UInt64
        /// The index of the caller's frame; 0 is the root, which is not a frame.
        var parent: Int
    }

    package var process: Int
    package var parent: Int
    /// Its name in the kernel: at most 15 bytes, chosen by the program.
    package var name: String
    /// The time of the capture on the monotonic clock.
    package var nanoseconds: Int
    /// The kernel's resident size just before, in bytes.
    package var resident: Int
    /// The kernel's peak at the time in bytes, or 0 if it was not read.
    package var highWater: Int
    /// The kernel's peak at the end in bytes, or `nil` if the process did not get that far.
    package var finalHighWater: Int?
    package var ownMemory: Range<UInt64>
    /// The thread-local data of the first thread; those of others are parts of their stacks.
    var threadData: Range<UInt64>
    package var hasOwnMalloc: Bool
    /// The block that `realloc` had just copied from, if that triggered the capture.
    var moved: Block?
    var frames: [Frame]
    var blocks: [Block]
    var history: [Block]
    package var mappings: [Mapping]
    var pages: ResidentPages
    package var account: HolderProfile.RecorderAccount

    struct ResidentPages: Hashable, Sendable {
        /// 64 pages, the first in the lowest bit.
        struct Word: Hashable, Sendable {
            var place: UInt64
            var bits: UInt64
        }

        struct Run: Hashable, Sendable {
            var range: Range<UInt64>
            /// Ordered by place; words without a resident page are left out.
            var words: [Word]
        }

        /// Ordered by address, without overlaps.
        var runs: [Run]
        var pageSize: UInt64

        /// Returns how many bytes of a range are resident, counting only its part of pages at its ends.
        func resident(in range: Range<UInt64>) -> Int {
            var sum: UInt64 = 0
            var index = runs.partitioningIndex { $0.range.upperBound > range.lowerBound }
            while index < runs.count, runs[index].range.lowerBound < range.upperBound {
                sum += resident(of: runs[index], in: range.clamped(to: runs[index].range))
                index += 1
            }
            return Int(sum)
        }

        private func resident(of run: Run, in part: Range<UInt64>) -> UInt64 {
            guard !part.isEmpty else { return 0 }
            let wordSize = 64 * pageSize
            var index = run.words.partitioningIndex { $0.place >= (part.lowerBound - run.range.lowerBound) / wordSize }
            var sum: UInt64 = 0
            while index < run.words.count {
                let start = run.range.lowerBound + run.words[index].place * wordSize
                guard start < part.upperBound else { return sum }
                sum += resident(of: run.words[index].bits, from: start, in: part)
                index += 1
            }
            return sum
        }

        private func resident(of bits: UInt64, from start: UInt64, in part: Range<UInt64>) -> UInt64 {
            if start >= part.lowerBound, start + 64 * pageSize <= part.upperBound {
                return UInt64(bits.nonzeroBitCount) * pageSize
            }
            var sum: UInt64 = 0
            for page in 0..<UInt64(64) where bits >> page & 1 == 1 {
                let first = start + page * pageSize
                sum += UInt64((first..<first + pageSize).clamped(to: part).count)
            }
            return sum
        }
    }
}

extension Recording {
    package static let library = "libAllocationRecorder.so"
    /// The file of a recording's folder by which a process is told its instants, four bytes each time.
    package static let instantFile = "instant"

    package enum Instant: Int32, Sendable {
        case none = 0
        case baseline, mark, end
    }

    /// Returns the variables of a process that records to a folder, with the recorder in front of other preloaded libraries.
    package static func variables(
        loading path: String, before libraries: String?, recordingTo folder: String
    ) -> [String: String] {
        ["LD_PRELOAD": path + (libraries.map { ":" + $0 } ?? ""), "FETCHBENCH_RECORDER_FOLDER": folder]
    }

    /// Indicates whether `LD_PRELOAD`, which has no escape, can name a path.
    package static func canBePreloaded(_ path: String) -> Bool { !path.contains { " :\t\n".contains($0) } }

    /// The highest known peak in bytes: the kernel's high-water mark can lag behind its exact count of pages.
    package var highest: Int { max(resident, highWater, finalHighWater ?? 0) }

    /// The blocks of ``history`` that are not in use any more.
    var pastBlocks: [Block] {
        let live = Set(blocks.map(\.address))
        return history.filter { !live.contains($0.address) }
    }

    /// The recorder's own bytes in the process: its tables, all of which are resident, and its library.
    package var ownBytes: Int {
        ownMemory.count + mappings.filter(\.isOfRecorder).reduce(0) { $0 + $1.resident }
    }
}

extension FetchBenchError {
    package static let truncatedRecording = FetchBenchError(
        "the recording is incomplete: the process was killed, or the disk is full")
}

private func invalid(_ what: String) -> FetchBenchError { FetchBenchError("the recording is invalid: \(what)") }

/// A mapping of a process from `/proc/PID/smaps`; sizes in bytes.
package struct Mapping: Hashable, Sendable {
    package var range: Range<UInt64>
    /// Such as `r-xp`.
    package var permissions: String
    /// Its start in its file, in bytes.
    package var offset: UInt64
    /// The file, or the kernel's name in brackets; empty for anonymous memory.
    package var path: String
    package var resident = 0
    /// The part of ``resident`` that is not backed by a file.
    package var anonymous = 0

    package var isExecutable: Bool { permissions.contains("x") }
    package var isAccessible: Bool { !permissions.hasPrefix("---") }
    package var isFile: Bool { path.hasPrefix("/") }

    /// True for anonymous memory, also if the program has named it (`[anon:…]`).
    package var isAnonymous: Bool { path.isEmpty || path.hasPrefix("[anon:") }

    var isOfRecorder: Bool { path.hasSuffix("/" + Recording.library) }

    /// Parses the text of `smaps`; throws an error with the first invalid line.
    package static func parse(_ text: Substring.UTF8View) throws -> [Mapping] {
        var mappings: [Mapping] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            if let first = line.first, first >= UInt8(ascii: "A"), first <= UInt8(ascii: "Z") {
                guard !mappings.isEmpty else { throw invalid("a field without a mapping") }
                mappings[mappings.count - 1].take(field: line)
            } else {
                guard let mapping = Mapping(heading: Substring(line)) else {
                    throw invalid("a mapping: \(SafeText.forTerminal(String(Substring(line).prefix(80))))")
                }
                mappings.append(mapping)
            }
        }
        return mappings
    }

    private init?(heading: Substring) {
        let words = heading.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard words.count >= 5 else { return nil }
        let ends = words[0].split(separator: "-")
        guard ends.count == 2, let start = UInt64(ends[0], radix: 16), let end = UInt64(ends[1], radix: 16),
            start < end, end - start < 1 << 57, let offset = UInt64(words[2], radix: 16)
        else { return nil }
        range = start..<end
        permissions = String(words[1])
        self.offset = offset
        path = words.count > 5 ? String(words[5].drop { $0 == " " }) : ""
    }

    private mutating func take(field line: Substring.UTF8View.SubSequence) {
        if line.starts(with: "Rss:".utf8) { resident = Self.bytes(line) }
        if line.starts(with: "Anonymous:".utf8) { anonymous = Self.bytes(line) }
    }

    private static func bytes(_ line: Substring.UTF8View.SubSequence) -> Int {
        // At most 12 digits (a petabyte), which cannot overflow.
        let digits = line.drop { !(48...57).contains($0) }.prefix { (48...57).contains($0) }.prefix(12)
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) } * 1024
    }
}

/// Reads the format that the recorder's `document.c` writes.
package struct RecordingReader {
    static let magic = [UInt8]("FBHOLD\r\n".utf8)
    static let trailer = [UInt8]("FBHOLEND".utf8)
    static let version = 4
    static let headerSize = 248
    private static let blockSize = 40
    /// The end of the address space with five-level page tables.
    private static let addressLimit: UInt64 = 1 << 57
    /// More bytes, counts or nanoseconds than any machine has; sums of a few such numbers still fit in 53 bits.
    private static let limit: UInt64 = 1 << 48
    private static let noWord = UInt64.max

    private let bytes: [UInt8]
    private var place = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    package static func recording(of bytes: [UInt8]) throws -> Recording {
        guard bytes.count >= magic.count else { throw FetchBenchError.truncatedRecording }
        guard bytes.starts(with: magic) else { throw invalid("it does not begin as a recording does") }
        guard bytes.count >= headerSize + trailer.count, bytes.suffix(trailer.count) == trailer[...] else {
            throw FetchBenchError.truncatedRecording
        }
        var reader = RecordingReader(bytes)
        return try reader.recording()
    }

    private mutating func recording() throws -> Recording {
        place = Self.magic.count
        let version = Int(try number32())
        guard version == Self.version else {
            throw FetchBenchError("the recording has version \(version); rebuild everything (`make build`)")
        }
        guard try number32() == UInt32(Self.headerSize) else { throw invalid("the size of its head") }
        var numbers: [UInt64] = []
        for _ in 0..<22 { numbers.append(try number64()) }
        let name = try takeName()
        let moved = try takeBlock()
        try check(numbers, moved)
        let frames = try takeFrames(count(numbers[16]))
        let blocks = try takeBlocks(count(numbers[17]), of: frames)
        let history = try takeBlocks(count(numbers[18]), of: frames)
        let mappings = try takeMappings(size: count(numbers[20]))
        let pages = Recording.ResidentPages(runs: try takeRuns(count(numbers[19]), numbers[1]), pageSize: numbers[1])
        guard place == bytes.count - Self.trailer.count else { throw invalid("there is more than it says") }
        var recording = Recording(
            process: try count(numbers[0]), parent: try count(numbers[21]), name: name,
            nanoseconds: try count(numbers[2]), resident: try count(numbers[3]), highWater: try count(numbers[4]),
            finalHighWater: numbers[5] == 0 ? nil : try count(numbers[5]), ownMemory: numbers[6]..<numbers[7],
            threadData: numbers[8]..<numbers[9],
            hasOwnMalloc: numbers[10] & 1 != 0,
            moved: numbers[10] & 2 != 0 ? moved : nil, frames: frames, blocks: blocks, history: history,
            mappings: mappings, pages: pages,
            account: HolderProfile.RecorderAccount(
                ownBytes: 0, allocationCount: try count(numbers[11]),
                stackCount: try count(numbers[12]), captureCount: try count(numbers[13]),
                lostCount: try count(numbers[14]), nanoseconds: try count(numbers[15])))
        recording.account.ownBytes = recording.ownBytes
        // Before Linux 6.7, pages that were only read look like those that are shared with the other side of a fork.
        recording.account.mayCountZeros = numbers[10] & 8 != 0 ? true : nil
        return recording
    }

    /// Rejects impossible numbers before anything is computed with them.
    private func check(_ numbers: [UInt64], _ moved: Recording.Block) throws {
        guard numbers[6] <= numbers[7], numbers[7] < Self.addressLimit, numbers[7] - numbers[6] < Self.limit else {
            throw invalid("the place of its tables")
        }
        guard numbers[8] <= numbers[9], numbers[9] < Self.addressLimit else {
            throw invalid("the place of the first thread's data")
        }
        guard numbers[1] >= 1024, numbers[1] <= 1 << 20, numbers[1].nonzeroBitCount == 1 else {
            throw invalid("the size of a page")
        }
        guard [3, 4, 5, 11, 12, 13, 14, 15].allSatisfy({ numbers[$0] < Self.limit }) else { throw invalid("a size") }
        guard moved.stack < numbers[16] else { throw invalid("a block of an unknown stack") }
        guard numbers[10] & 4 == 0 else { throw invalid("the process has more mappings than can be recorded") }
    }

    /// Reads a name of 16 bytes, padded with zeros.
    private mutating func takeName() throws -> String {
        try need(16, each: 1)
        defer { place += 16 }
        return String(decoding: bytes[place..<place + 16].prefix { $0 != 0 }, as: UTF8.self)
    }

    private mutating func takeFrames(_ count: Int) throws -> [Recording.Frame] {
        try need(count, each: 16)
        var frames: [Recording.Frame] = []
        frames.reserveCapacity(count)
        for place in 0..<count {
            let address = try number64()
            let parent = Int(try number32())
            _ = try number32()
            // Callers come first, so a path cannot be circular.
            guard parent < max(place, 1) else { throw invalid("an invalid stack reference") }
            frames.append(Recording.Frame(address: address, parent: parent))
        }
        return frames
    }

    private mutating func takeBlocks(_ count: Int, of frames: [Recording.Frame]) throws -> [Recording
        .Block]
    {
        try need(count, each: Self.blockSize)
        var blocks: [Recording.Block] = []
        var weight: UInt64 = 0
        blocks.reserveCapacity(count)
        for _ in 0..<count {
            let block = try takeBlock()
            guard block.stack < frames.count else { throw invalid("a block of an unknown stack") }
            weight += block.weight
            guard weight < Self.limit else { throw invalid("blocks larger than any machine") }
            blocks.append(block)
        }
        return blocks
    }

    private mutating func takeBlock() throws -> Recording.Block {
        let address = try number64()
        let size = try number64()
        let weight = try number64()
        let stack = Int(try number32())
        let flags = try number32()
        _ = try number64()
        // The sum of all blocks must not overflow either.
        guard size < 1 << 47, address < Self.addressLimit, weight < 1 << 47 else {
            throw invalid("a block without bounds")
        }
        return Recording.Block(
            address: address, size: size, weight: weight, stack: stack, isSample: flags & 1 != 0,
            isMapping: flags & 2 != 0)
    }

    private mutating func takeMappings(size: Int) throws -> [Mapping] {
        try need(size, each: 1)
        let text = String(decoding: bytes[place..<place + size], as: UTF8.self)
        place += size + (8 - size % 8) % 8
        let mappings = try Mapping.parse(text[...].utf8)
        // Each is below 2^50, and the size of the file bounds their number, so the sum cannot overflow.
        guard mappings.reduce(0, { $0 + max($1.resident, $1.anonymous) }) < Self.limit else {
            throw invalid("mappings larger than any machine")
        }
        // Closed libraries stand behind the kernel's own pages.
        return mappings.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private mutating func takeRuns(_ count: Int, _ pageSize: UInt64) throws -> [Recording.ResidentPages.Run] {
        var runs: [Recording.ResidentPages.Run] = []
        for _ in 0..<count {
            let start = try number64()
            let end = try number64()
            guard start < end, end < Self.addressLimit, start % pageSize == 0, end % pageSize == 0,
                start >= runs.last?.range.upperBound ?? 0
            else { throw invalid("a range of pages") }
            runs.append(
                Recording.ResidentPages.Run(range: start..<end, words: try takeWords(of: (end - start) / pageSize)))
        }
        return runs
    }

    private mutating func takeWords(of pageCount: UInt64) throws -> [Recording.ResidentPages.Word] {
        var words: [Recording.ResidentPages.Word] = []
        while true {
            let place = try number64()
            let bits = try number64()
            guard place != Self.noWord else { return words }
            guard place < (pageCount + 63) / 64, words.last.map({ $0.place < place }) ?? true else {
                throw invalid("pages without a place")
            }
            words.append(Recording.ResidentPages.Word(place: place, bits: bits))
        }
    }

    private func count(_ number: UInt64) throws -> Int {
        guard let count = Int(exactly: number) else { throw invalid("a count of \(number)") }
        return count
    }

    private func need(_ count: Int, each size: Int) throws {
        guard count >= 0, count <= (bytes.count - place) / size else { throw FetchBenchError.truncatedRecording }
    }

    private mutating func number32() throws -> UInt32 {
        UInt32(truncatingIfNeeded: try number(4))
    }

    private mutating func number64() throws -> UInt64 { try number(8) }

    private mutating func number(_ size: Int) throws -> UInt64 {
        try need(1, each: size)
        var number: UInt64 = 0
        for index in (place..<place + size).reversed() { number = number << 8 | UInt64(bytes[index]) }
        place += size
        return number
    }
}

extension Array {
    /// Returns the index of the first element that satisfies a predicate, which all later ones must satisfy too.
    func partitioningIndex(where isTrue: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isTrue(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

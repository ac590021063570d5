// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Merges the lines of files that are ordered by trial into one order, with one line of each file in memory.
struct LineMerge {
    struct Entry {
        let line: TrialLine
        let bytes: [UInt8]
        /// The place of its file among all.
        let source: Int

        var number: Int { line.number }
    }

    private var readers: [Reader] = []
    /// The places of the readers that have a line, that with the smallest number last.
    private var order: [Int] = []

    /// - Parameters:
    ///   - folders: The runs that have such a file.
    ///   - parse: Returns the parts of a line, or `nil` for one to be skipped; throws for a damaged one.
    init(
        _ file: RunFolder.File, of folders: [RunFolder],
        parse: @escaping (UnsafeBufferPointer<UInt8>, LinePlace) throws -> TrialLine?
    ) throws {
        let room = Self.roomForOpenFiles(folders.count)
        if room < folders.count {
            throw FetchBenchError.notMergeable(
                name: folders[room].name,
                reason: "of \(folders.count) runs, only \(room) can be open at once; raise `ulimit -n`, or merge them "
                    + "in parts, and then what was merged")
        }
        for folder in folders {
            var reader = try Reader(file, of: folder, parse: parse)
            try reader.advance()
            readers.append(reader)
            if reader.current != nil { insert(readers.count - 1) }
        }
    }

    /// The files that a command has open besides those that are merged: its streams, its lock, its output.
    private static let otherOpenFiles = 32

    /// Raises the soft limit of open files as far as needed and possible, and returns how many files can be merged.
    ///
    /// Shells begin with a soft limit of 1024; the hard limit is the system's, and usually far above it.
    private static func roomForOpenFiles(_ count: Int) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return count }
        let needed = rlim_t(count + otherOpenFiles)
        if limit.rlim_cur < needed {
            let before = limit.rlim_cur
            limit.rlim_cur = min(needed, limit.rlim_max)
            if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
        }
        return max(0, Int(clamping: limit.rlim_cur) - otherOpenFiles)
    }

    /// Takes the line with the smallest number, of several files that of the first.
    mutating func next() throws -> Entry? {
        // The caller knows of the cancellation; an error keeps it from using half a merge.
        guard !Task.isCancelled else { throw FetchBenchError.cannotWrite(name: "the merged run", errno: EINTR) }
        guard let place = order.popLast(), let (line, bytes) = readers[place].current else { return nil }
        try readers[place].advance()
        if readers[place].current != nil { insert(place) }
        return Entry(line: line, bytes: bytes, source: place)
    }

    private func isBefore(_ first: Int, _ second: Int) -> Bool {
        let (left, right) = (readers[first].number, readers[second].number)
        return left != right ? left < right : first < second
    }

    private mutating func insert(_ place: Int) {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(place, order[middle]) { low = middle + 1 } else { high = middle }
        }
        order.insert(place, at: low)
    }

    /// The lines of one file in the order of their trials.
    private struct Reader {
        /// The size of the first buffer: a thousand files are open at once.
        private static let capacity = 1 << 14

        private let file: RunFolder.File
        private let folder: RunFolder
        private let window: FileWindow
        private let parse: (UnsafeBufferPointer<UInt8>, LinePlace) throws -> TrialLine?
        private var line = 0
        private(set) var current: (line: TrialLine, bytes: [UInt8])?

        var number: Int { current?.line.number ?? .max }

        init(
            _ file: RunFolder.File, of folder: RunFolder,
            parse: @escaping (UnsafeBufferPointer<UInt8>, LinePlace) throws -> TrialLine?
        ) throws {
            (self.file, self.folder, self.parse) = (file, folder, parse)
            let source = folder.source(of: file)
            window = try FileWindow(path: source, name: "\(folder.name)/\(file.rawValue)", capacity: Self.capacity)
        }

        /// Moves on to the next line that counts.
        mutating func advance() throws {
            let before = current?.line.number ?? 0
            current = try next()
            guard number >= before else {
                throw FetchBenchError.malformedRun(
                    name: folder.name, reason: "\(file.rawValue) is not in the order of its trials")
            }
        }

        private mutating func next() throws -> (line: TrialLine, bytes: [UInt8])? {
            while true {
                let (bytes, end) = (window.bytes, window.lineLength)
                if end == nil, try window.more() { continue }
                let count = end ?? bytes.count
                guard end != nil || count > 0 else { return nil }
                line += 1
                let place = LinePlace(folder: folder, file: file, line: line, isWhole: end != nil)
                let found = UnsafeBufferPointer(rebasing: bytes[..<count])
                let parts = count > 0 ? try parse(found, place) : nil
                let copy = parts.map { (line: $0, bytes: Array(found)) }
                window.advance(by: min(count + 1, bytes.count))
                if let copy { return copy }
                if end == nil { return nil }
            }
        }
    }

    struct LinePlace {
        let folder: RunFolder
        let file: RunFolder.File
        let line: Int
        /// False for a last line without an end, as an interruption leaves it.
        let isWhole: Bool

        var words: String { "line \(line) of \(file.rawValue)" }
    }
}

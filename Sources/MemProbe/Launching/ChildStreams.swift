// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

/// This process's end of a pipe, or none.
struct ChildPipe: ~Copyable {
    /// The number of bytes to read at once.
    static let portion = 65_536
    /// The nanoseconds for which a pipe that was not full is left alone, so that a child that writes byte by byte does
    /// not wake the thread each time.
    private static let pause = 1_000_000

    private(set) var descriptor: Int32
    private var restUntil = 0

    init(_ descriptor: Int32 = -1) { self.descriptor = descriptor }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func polled(at time: Int) -> Int32 { time < restUntil ? -1 : descriptor }

    /// The time at which polling resumes; `nil` if it is not paused.
    func wakeTime(at time: Int) -> Int? { descriptor >= 0 && time < restUntil ? restUntil : nil }

    /// Calls `read(2)`; returns the number of bytes or minus the `errno`.
    static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = SystemCall.readSome(buffer, from: descriptor)
        return count < 0 ? -Int(errno) : count
    }

    /// Calls `fill` until nothing is left or a portion is read; returns the number of bytes.
    mutating func drain(at time: Int, by fill: (Int32) -> Int) -> Int {
        var total = 0
        while descriptor >= 0, total < Self.portion {
            let count = fill(descriptor)
            if count == 0 || (count < 0 && count != -Int(EAGAIN)) { finish() }
            if count <= 0 { break }
            total += count
        }
        if total < Self.portion / 2 { restUntil = time + Self.pause }
        return total
    }

    mutating func finish() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}

/// The standard streams of a child, and this process's ends of them.
final class ChildStreams {
    var output = ChildPipe()
    var complaints = ChildPipe()
    var input = ChildPipe()
    /// The child's ends, in the order of their standard numbers.
    private(set) var theirs: [Int32] = []

    init(_ launch: ChildLaunch) throws(MemProbeError) {
        var theirs: [Int32] = []
        defer { self.theirs = theirs }
        switch launch.input {
        case .nothing: theirs.append(try Self.nowhere())
        case .bytes(let bytes): theirs.append(try Self.memory(bytes))
        case .answers:
            let (read, write) = try Self.pipe()
            theirs.append(read)
            input = ChildPipe(write)
            setNonBlocking(write)
        }
        if case .kept = launch.complaints {
            let (read, write) = try Self.pipe()
            complaints = ChildPipe(read)
            setNonBlocking(read)
            theirs.append(write)
        } else {
            theirs.append(try Self.copy(of: STDERR_FILENO))
        }
        switch launch.output {
        case .discarded: theirs.insert(try Self.nowhere(), at: 1)
        case .joined: theirs.insert(try Self.copy(of: theirs[1]), at: 1)
        case .kept, .lines:
            let (read, write) = try Self.pipe()
            output = ChildPipe(read)
            setNonBlocking(read)
            theirs.insert(write, at: 1)
        }
    }

    /// Closes the child's ends, which it has inherited by now.
    func closeTheirs() {
        for descriptor in theirs where descriptor >= 0 { close(descriptor) }
        theirs = []
    }

    deinit {
        for descriptor in theirs where descriptor >= 0 { close(descriptor) }
    }

    /// Another number for an open file, which no other child inherits.
    private static func copy(of descriptor: Int32) throws(MemProbeError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw MemProbeError(.exhausted, source: "a descriptor", errno: errno) }
        return copy
    }

    private static func nowhere() throws(MemProbeError) -> Int32 {
        let descriptor = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw MemProbeError(.unreadable, source: "/dev/null", errno: errno) }
        return descriptor
    }

    private static func memory(_ bytes: [UInt8]) throws(MemProbeError) -> Int32 {
        let descriptor = bytes.withUnsafeBytes { cmemprobe_memory_file($0.baseAddress, $0.count) }
        guard descriptor >= 0 else { throw MemProbeError(.exhausted, source: "memfd_create", errno: errno) }
        return descriptor
    }

    private static func pipe() throws(MemProbeError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        let status = cmemprobe_make_pipe(&ends)
        guard status == 0 else { throw MemProbeError(.exhausted, source: "pipe", errno: status) }
        return (ends[0], ends[1])
    }

    /// Cuts a stream of bytes into lines.
    struct LineCutter {
        private var rest: [UInt8] = []
        /// The number of bytes known to hold no newline: a line of many megabytes comes in many portions.
        private var searched = 0

        mutating func add(_ bytes: some Collection<UInt8>) { rest += bytes }

        mutating func next() -> String? {
            guard let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
                searched = rest.count
                return nil
            }
            defer {
                rest.removeSubrange(...end)
                searched = 0
            }
            return String(decoding: rest[..<end], as: UTF8.self)
        }

        /// Returns what follows the last newline, or `nil`.
        mutating func last() -> String? {
            defer { (rest, searched) = ([], 0) }
            return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
        }
    }

    /// A ring buffer for the last bytes of a stream.
    struct TailBuffer {
        private let capacity: Int
        private var ring: [UInt8] = []
        private var total = 0

        init(capacity: Int) { self.capacity = capacity }

        /// Reads once, straight into the ring; returns the number of bytes or minus the `errno`.
        mutating func fill(from descriptor: Int32) -> Int {
            if ring.isEmpty { ring = [UInt8](repeating: 0, count: capacity) }
            let place = total % capacity
            let count = ring.withUnsafeMutableBytes { buffer in
                ChildPipe.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[place...]))
            }
            if count > 0 { total += count }
            return count
        }

        var text: ChildText {
            guard total > capacity else { return ChildText(bytes: Array(ring.prefix(total))) }
            let place = total % capacity
            return ChildText(bytes: Array(ring[place...] + ring[..<place]), isCut: true)
        }
        /// Returns and clears what is kept.
        mutating func take() -> ChildText {
            defer { total = 0 }
            return text
        }
    }
}

/// The end of what a child wrote: the last bytes, and whether there were more.
package struct ChildText: Hashable, Sendable {
    package var bytes: [UInt8] = []
    /// True if earlier bytes were dropped.
    package var isCut = false

    /// The text, with invalid UTF-8 repaired.
    ///
    /// If earlier bytes were dropped, it begins with a whole line, because redaction would not find half a secret.
    /// Without a whole line the first quarter is dropped, which is longer than any secret.
    package var text: String {
        guard isCut else { return String(decoding: bytes, as: UTF8.self) }
        let newline = UInt8(ascii: "\n")
        let rest = bytes.firstIndex(of: newline).map { bytes[($0 + 1)...] } ?? []
        let whole = rest.contains { $0 != newline } ? rest : bytes[(bytes.count / 4)...]
        return String(decoding: whole, as: UTF8.self)
    }
}

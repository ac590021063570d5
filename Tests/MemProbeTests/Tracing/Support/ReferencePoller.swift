// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Synchronization

/// An observer that knows nothing of tracing: it finds a command's processes by a word in their environment and reads
/// their files over and over.
///
/// It shares no code with what it checks.
final class ReferencePoller: Sendable {
    /// What it saw.
    struct Sight: Sendable {
        /// The largest sum of the resident sets.
        var largestSum = ByteCount.zero
        /// The largest mark of each process.
        var marks: [Int32: ByteCount] = [:]
        /// How often it looked while there was something to see.
        var looks = 0
    }

    private let sight = Mutex(Sight())
    private let isStopped = Mutex(false)
    private let isDone = DispatchSemaphore(value: 0)

    /// Begins to look for processes whose environment holds a word.
    init(word: String) {
        Thread.detachNewThread { [self] in
            var known: [Int32: OpenFiles] = [:]
            var nextSearch = 0
            while !isStopped.withLock({ $0 }) {
                if MonotonicClock.now() >= nextSearch {
                    for identifier in Self.search(word) where known[identifier] == nil {
                        known[identifier] = OpenFiles(identifier)
                    }
                    nextSearch = MonotonicClock.now() + 3_000_000
                }
                look(at: known)
            }
            isDone.signal()
        }
    }

    /// Ends the looking and says what was seen.
    func stop() -> Sight {
        isStopped.withLock { $0 = true }
        isDone.wait()
        return sight.withLock { $0 }
    }

    private func look(at known: [Int32: OpenFiles]) {
        var sum = 0
        var marks: [Int32: Int] = [:]
        for (identifier, files) in known {
            sum += files.residentPages() * Int(sysconf(Int32(_SC_PAGESIZE)))
            marks[identifier] = files.markKilobytes()
        }
        guard sum > 0 else { return }
        sight.withLock { sight in
            sight.looks += 1
            sight.largestSum = max(sight.largestSum, ByteCount(sum))
            for (identifier, mark) in marks {
                sight.marks[identifier] = max(sight.marks[identifier] ?? .zero, ByteCount(procKilobytes: mark))
            }
        }
    }

    private static func search(_ word: String) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { identifier in
            let data = FileManager.default.contents(atPath: "/proc/\(identifier)/environ")
            return data.map { String(decoding: $0, as: UTF8.self).contains(word) } ?? false
        }
    }
}

/// The files of one process, kept open so that its number may be given to another one.
private final class OpenFiles {
    private let statm: Int32
    private let status: Int32

    init(_ identifier: Int32) {
        statm = open("/proc/\(identifier)/statm", O_RDONLY | O_CLOEXEC)
        status = open("/proc/\(identifier)/status", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        close(statm)
        close(status)
    }

    func residentPages() -> Int {
        let words = Self.text(of: statm).split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    func markKilobytes() -> Int? {
        let line = Self.text(of: status).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }

    private static func text(of file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(file, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

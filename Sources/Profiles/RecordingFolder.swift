// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
package import Texts

/// The folder of a trial's recordings: for each process the peak and, if it reached the mark, the baseline.
package struct RecordingFolder {
    package struct Entry: Sendable {
        package var peak: Recording
        /// The recording at the mark that growth counts from, if the process reached it.
        package var baseline: Recording?
    }

    /// Returns the first process with a baseline: the one whose parent has none.
    package static func first(of entries: [Entry]) -> Entry? {
        let marked = entries.filter { $0.baseline != nil }
        return marked.first { entry in !marked.contains { $0.peak.process == entry.peak.parent } }
    }

    private let path: String

    package init(path: String) { self.path = path }

    /// Returns all recorded processes, the highest peak first.
    ///
    /// Unreadable recordings, such as those of killed processes, are left out unless none is readable.
    package func entries() throws -> [Entry] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
        var entries: [Entry] = []
        var failure: any Error =
            names.contains { $0.hasSuffix(".loaded") } ? FetchBenchError.recordingNotWritten : .recorderNotLoaded
        for name in names where name.hasSuffix(".peak") {
            let baseline = String(name.dropLast("peak".count)) + "baseline"
            do {
                var peak = try recording(name)
                peak.account.wasCutOff = peak.finalHighWater == nil ? true : nil
                entries.append(
                    Entry(peak: peak, baseline: names.contains(baseline) ? try recording(baseline) : nil))
            } catch {
                failure = error
            }
        }
        guard !entries.isEmpty else { throw failure }
        return entries.sorted { $0.peak.highest > $1.peak.highest }
    }

    /// More than the recorder writes for a program with a million stacks.
    private static let mostBytes = 256 << 20

    private func recording(_ name: String) throws -> Recording {
        let file = path + "/" + name
        var information = stat()
        // The recorded processes can write here, so the file may be anything.
        guard stat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
            information.st_size <= Self.mostBytes, let data = FileManager.default.contents(atPath: file)
        else { throw FetchBenchError("\(name) cannot be read") }
        return try RecordingReader.recording(of: [UInt8](data))
    }
}

struct ResidentPages: Hashable, Sendable {
    /// 64 pages, the first in the lowest bit.
    struct Word: Hashable, Sendable {
        /// Its index among the words of its run.
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
    /// The size of a page in bytes.
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

extension FetchBenchError {
    package static let recorderNotLoaded = FetchBenchError(
        "the recorder was not loaded: the program is statically linked or set-user-ID, removes LD_PRELOAD, or failed")
    package static let recordingNotWritten = FetchBenchError(
        "the recorder was loaded, and could not write: the process was killed before it held much, ended by a raw "
            + "system call, or cannot write (chroot, setuid, RLIMIT_NOFILE, RLIMIT_FSIZE, seccomp)")
}

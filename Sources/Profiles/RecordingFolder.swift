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

extension FetchBenchError {
    package static let recorderNotLoaded = FetchBenchError(
        "the recorder was not loaded: the program is statically linked or set-user-ID, removes LD_PRELOAD, or failed")
    package static let recordingNotWritten = FetchBenchError(
        "the recorder was loaded, and could not write: the process was killed before it held much, ended by a raw "
            + "system call, or cannot write (chroot, setuid, RLIMIT_NOFILE, RLIMIT_FSIZE, seccomp)")
}

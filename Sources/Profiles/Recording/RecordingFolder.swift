// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The folder that recorders write to, one for each trial: of each process its peak and, where it has one, its baseline.
package struct RecordingFolder {
    package struct Entry: Sendable {
        package var peak: Recording
        /// What growth counts from, or `nil` where the process has no such instant.
        package var baseline: Recording?
    }

    /// Of the processes that know where growth begins the first: it began the others, such as another process of the same
    /// program.
    package static func first(of entries: [Entry]) -> Entry? {
        let marked = entries.filter { $0.baseline != nil }
        return marked.first { entry in !marked.contains { $0.peak.process == entry.peak.parent } }
    }

    private let path: String

    package init(path: String) { self.path = path }

    /// All processes that have been recorded, the one with the highest peak first.
    ///
    /// Of several, one that cannot be read is left out: a process that was killed takes nothing from the others.
    /// - Throws: ``RecordingError/missing`` where there is none: the recorder was loaded by nobody.
    package func entries() throws(RecordingError) -> [Entry] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
        var entries: [Entry] = []
        var failure = RecordingError.missing
        for name in names where name.hasSuffix(".peak") {
            let baseline = String(name.dropLast("peak".count)) + "baseline"
            do {
                entries.append(
                    Entry(
                        peak: try recording(name), baseline: names.contains(baseline) ? try recording(baseline) : nil))
            } catch {
                failure = error
            }
        }
        guard !entries.isEmpty else { throw failure }
        return entries.sorted { $0.peak.highest > $1.peak.highest }
    }

    /// More than the recorder writes of a program with a million stacks.
    private static let mostBytes = 256 << 20

    private func recording(_ name: String) throws(RecordingError) -> Recording {
        let file = path + "/" + name
        var information = stat()
        // Whoever is recorded may write here, too.
        guard stat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
            information.st_size <= Self.mostBytes, let data = FileManager.default.contents(atPath: file)
        else { throw .unreadable(name) }
        return try RecordingReader.recording(of: [UInt8](data))
    }
}

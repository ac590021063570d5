// SPDX-License-Identifier: Apache-2.0

import Profiles
import Runs

/// Finds the recording of the largest process of a command.
///
/// The tracer sees each process and the recorder does not: one that is linked statically or runs as another user has no
/// recording, and the recording of another process would explain nothing.
struct ExplainedProcess {
    /// The difference between two readings of one peak that per-CPU counters may cause.
    private static let slack = ByteCount.mebibytes(1).rawValue

    private let entries: [RecordingFolder.Entry]

    /// Takes the recordings of a command's processes, the highest peak first.
    init(of entries: [RecordingFolder.Entry]) { self.entries = entries }

    /// Finds the recording of the largest process, not counting the recorder's own memory.
    ///
    /// `recorded` are the processes of the trial with the recorder, `plain` those without it.
    func entry(recorded: [ProcessTrace], plain: [ProcessTrace]) throws -> RecordingFolder.Entry {
        let found = matches(recorded)
        let sizes = recorded.indices.map { place in
            (place: place, bytes: recorded[place].peak.resident.rawValue - (found[place]?.peak.ownBytes ?? 0))
        }
        let highest = sizes.max { $0.bytes < $1.bytes }
        guard let entry = highest.map({ found[$0.place] }) ?? entries.first else {
            throw unrecorded(highest.map { recorded[$0.place] })
        }
        // Two runs differ: far below the plain peak it is another process.
        let reached = entry.peak.highest - entry.peak.ownBytes
        if let most = plain.max(by: { $0.peak.resident < $1.peak.resident }) {
            let size = most.peak.resident.rawValue
            guard reached + max(Self.slack, size / 4) >= size else {
                throw entry.peak.name == most.name ? differing(entry, most) : unrecorded(most)
            }
        }
        return entry
    }

    private func differing(_ entry: RecordingFolder.Entry, _ plain: ProcessTrace) -> FetchBenchError {
        FetchBenchError(
            "\(plain.name) held \(SizeText.text(entry.peak.highest - entry.peak.ownBytes)) with the recorder and "
                + "\(SizeText.text(plain.peak.resident.rawValue)) without it: the two trials differ too much")
    }

    private func unrecorded(_ process: ProcessTrace?) -> FetchBenchError {
        let most = process.map { "\($0.name) (\(SizeText.text($0.peak.resident.rawValue)))" } ?? "unknown"
        let other = entries.first.map { entry in
            let size = SizeText.text(entry.peak.highest - entry.peak.ownBytes)
            return "; of the recorded ones \(entry.peak.name) held most, \(size)"
        }
        return FetchBenchError(
            "the largest process, \(most), was not recorded: it is statically linked, set-user-ID, was killed, "
                + "or could not write (chroot, setuid, RLIMIT_NOFILE, RLIMIT_FSIZE, seccomp)\(other ?? "")")
    }

    /// Returns the recording of each traced process by its index, if it has one.
    ///
    /// The tracer keeps no process IDs: processes are matched by name, or by peak if a program has renamed itself.
    private func matches(_ recorded: [ProcessTrace]) -> [Int: RecordingFolder.Entry] {
        // A process has a recording for each program that it executed.
        var free = Dictionary(grouping: entries) { $0.peak.process }
        var found: [Int: RecordingFolder.Entry] = [:]
        let order = recorded.indices.sorted { recorded[$0].peak.resident > recorded[$1].peak.resident }
        for isNamed in [true, false] {
            for place in order where found[place] == nil {
                let peak = recorded[place].peak.resident.rawValue
                let candidates = free.filter { !isNamed || $0.value.contains { $0.peak.name == recorded[place].name } }
                guard let best = candidates.values.joined().min(by: { distance($0, peak) < distance($1, peak) }),
                    isNear(best, peak)
                else { continue }
                found[place] = best
                free[best.peak.process] = nil
            }
        }
        return found
    }

    private func distance(_ entry: RecordingFolder.Entry, _ peak: Int) -> Int { abs(entry.peak.highest - peak) }

    private func isNear(_ entry: RecordingFolder.Entry, _ peak: Int) -> Bool {
        // A killed process has grown since its last look, by a third at most.
        let part = entry.peak.account.wasCutOff == true ? 3 : 50
        return distance(entry, peak) <= max(Self.slack, peak / part)
    }
}

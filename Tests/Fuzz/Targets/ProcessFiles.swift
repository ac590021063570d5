// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Profiles
import TrialKit

extension FuzzTarget {
    /// Files of `/proc`; every text is given to every parser.
    static let processFiles = FuzzTarget(
        name: "proc", summary: "smaps, smaps_rollup, maps, status, statm, stat, sockstat, tcp of /proc"
    ) { bytes, _ in
        let text = bytes.span
        let readings = [
            (try? ResidentParts(SmapsRollup(parsing: text))) != nil,
            (try? StatusFile(parsing: text)) != nil,
            (try? StatmFile(parsing: text)) != nil,
            (try? StatFile(parsing: text)) != nil,
            (try? Sockstat(parsing: text)) != nil,
            (try? ThreadIdentity(parsing: text)) != nil,
            try areMappings(bytes),
            areSockets(bytes),
        ]
        guard readings.contains(true) else { throw Refused() }
    }

    private static func areMappings(_ bytes: [UInt8]) throws -> Bool {
        var isRead = (try? ExecutableFiles(parsing: bytes.span)) != nil
        if isRead {
            var mappings = ProgramMappings()
            try mappings.read(bytes.span)
            for range in mappings.ranges {
                try promise(range.lowerBound <= range.upperBound, "a mapping that ends before it begins")
            }
        }
        if let mappings = try? Mapping.parse(String(decoding: bytes, as: UTF8.self)[...].utf8) {
            isRead = true
            for mapping in mappings {
                try promise(mapping.resident >= 0 && !mapping.range.isEmpty, "a mapping that cannot be")
            }
        }
        return isRead
    }

    private static func areSockets(_ bytes: [UInt8]) -> Bool {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let rows = lines.compactMap { SocketTable.Row(parsing: String($0)) }
        guard let first = rows.first else { return false }
        _ = SocketTable(rows, ofServerAt: first.localPort).underway(to: Set(rows.map(\.inode)))
        return true
    }

    /// Recordings; the seed is what `/bin/true` left in FETCHBENCH_RECORDER_FOLDER with
    /// libAllocationRecorder.so preloaded, made anew where the format changes.
    static let recordings = FuzzTarget(
        name: "recording", summary: "documents of the recorder"
    ) { bytes, draws in
        let recording = try RecordingReader.recording(of: bytes)
        for baseline in [nil, recording] {
            let profile = ProfileBuilder(peak: recording, baseline: baseline).profile(
                of: "fuzz", allocator: "glibc", explainedPeak: recording.highest - recording.ownBytes, plainPeak: nil)
            try check(profile, draws: draws)
        }
    }

    /// Draws a profile, and what differs between it and itself.
    private static func check(_ profile: HolderProfile, draws: Bool) throws {
        try promise(profile.isWellFormed, "a profile that could not be read again")
        _ = HolderTable(profile).plain
        guard draws else { return }
        for format in ProfileFormats.all { _ = try format.bytes(of: profile) }
        _ = HolderDifference(base: profile, head: profile).cause(ofGrowth: true)
    }
}

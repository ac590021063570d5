// SPDX-License-Identifier: Apache-2.0

import Texts

/// A profile as JSON for https://www.speedscope.app.
///
/// The format has no negative weights. Memory given back since the mark is therefore a second profile with absolute
/// sizes: the first less the second is the kernel's figure.
enum SpeedscopeExport {
    static func text(of profile: HolderProfile) -> String {
        let rows = ProfileRows(profile).withStatesAsFrames
        let positive = rows.rows.filter { $0.bytes > 0 }
        let negative = rows.rows.filter { $0.bytes < 0 }
        var profiles = [Sampled(profile.subject, positive)]
        if !negative.isEmpty {
            profiles[0].name += ", held at the peak"
            profiles.append(Sampled("\(profile.subject), given back since the mark: to subtract", negative))
        }
        let document = Document(
            name: profile.subject,
            shared: Shared(frames: rows.frames.map { Frame(name: $0.function, file: $0.file, line: $0.line) }),
            profiles: profiles)
        return JSONText.compact(document)
    }

    private struct Document: Encodable {
        var schema = "https://www.speedscope.app/file-format-schema.json"
        var exporter = "fetchbench"
        var activeProfileIndex = 0
        let name: String
        let shared: Shared
        let profiles: [Sampled]

        enum CodingKeys: String, CodingKey {
            case schema = "$schema"
            case exporter, activeProfileIndex, name, shared, profiles
        }
    }

    private struct Shared: Encodable {
        let frames: [Frame]
    }

    private struct Frame: Encodable {
        let name: String
        let file: String?
        let line: Int?
    }

    /// Weighted stacks, the outermost function first.
    private struct Sampled: Encodable {
        var type = "sampled"
        var unit = "bytes"
        var startValue = 0
        let endValue: Int
        var name: String
        let samples: [[Int]]
        let weights: [Int]

        init(_ name: String, _ rows: [ProfileRows.Row]) {
            self.name = name
            samples = rows.map { $0.stack.reversed() }
            weights = rows.map { abs($0.bytes) }
            endValue = weights.reduce(0, +)
        }
    }
}

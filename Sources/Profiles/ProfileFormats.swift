// SPDX-License-Identifier: Apache-2.0

import Texts

package enum ProfileFormats {
    package static let all: [Format] = [
        text("table", "top holders, residues and the kernel's figure", "txt") { HolderTable($0).plain },
        text("markdown", "the same for a document", "md") { HolderTable($0).markdown },
        Format(
            "pprof", "for pprof and Perfetto: profile.proto in gzip", fileExtension: "pb.gz", isText: false
        ) {
            try $0.pprof()
        },
        text("speedscope", "for www.speedscope.app", "speedscope.json") { SpeedscopeExport.text(of: $0) },
        text("folded", "for flamegraph.pl and inferno: a line a stack, and its bytes", "folded") {
            FoldedExport.text(of: $0)
        },
        text("json", "the profile itself, the source of the others", "json") { $0.json },
    ]

    package static func named(_ name: String) -> Format? {
        all.first { $0.name == name }
    }

    private static func text(
        _ name: String, _ summary: String, _ fileExtension: String,
        draw: @escaping @Sendable (HolderProfile) -> String
    ) -> Format {
        Format(name, summary, fileExtension: fileExtension) { Array(draw($0).utf8) }
    }

    /// A profile as folded stacks for `flamegraph.pl` and `inferno`: a line per stack, the outermost function first.
    ///
    /// The format has no negative sizes: memory given back since the mark is below a frame of its own,
    /// `[given back since the mark]`, and has to be subtracted from the rest.
    enum FoldedExport {
        /// Returns the lines, the largest first, each stack once.
        static func text(of profile: HolderProfile) -> String {
            let rows = ProfileRows(profile).withStatesAsFrames
            let words = rows.frames.map { word(for: $0.function) }
            var sums: [String: Int] = [:]
            for row in rows.rows where row.bytes != 0 {
                let names = row.stack.reversed().map { words[$0] }
                let root = row.bytes < 0 ? ["[given back since the mark]"] : []
                let stack = (root + (names.isEmpty ? ["[no stack]"] : names)).joined(separator: ";")
                sums[withoutNumberAtEnd(stack), default: 0] += abs(row.bytes)
            }
            return sums.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "\($0.key) \($0.value)\n" }.joined()
        }

        /// Returns a name without characters that would end a frame or a line, or begin a comment.
        private static func word(for name: String) -> String {
            // By scalars: a semicolon and a combining mark are one character.
            var safe = SafeText.forTerminal(name).unicodeScalars.reduce(into: "") {
                $0.unicodeScalars.append($1 == ";" ? "," : $1)
            }
            if safe.unicodeScalars.first == "#" { safe = "_" + safe }
            return safe.allSatisfy(\.isWhitespace) ? "[unnamed]" : safe
        }

        /// Joins a number at the end of the last name, which would be read as a figure: `block 3 4096`.
        private static func withoutNumberAtEnd(_ stack: String) -> String {
            guard let space = stack.lastIndex(where: \.isWhitespace) else { return stack }
            let last = stack[stack.index(after: space)...]
            guard last.wholeMatch(of: #/\d+(?:\.\d*)?/#) != nil else { return stack }
            return stack[..<space] + "_" + last
        }
    }

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

    package struct Format: Sendable {
        package let name: String
        package let summary: String
        /// The extension of its files, without the first dot.
        package let fileExtension: String
        package let isText: Bool
        private let draw: @Sendable (HolderProfile) throws -> [UInt8]

        init(
            _ name: String, _ summary: String, fileExtension: String, isText: Bool = true,
            draw: @escaping @Sendable (HolderProfile) throws -> [UInt8]
        ) {
            (self.name, self.summary, self.fileExtension) = (name, summary, fileExtension)
            (self.isText, self.draw) = (isText, draw)
        }

        package func bytes(of profile: HolderProfile) throws -> [UInt8] { try draw(profile) }
    }
}

extension HolderProfile {
    /// The profile itself as JSON: what all other formats can be made of again.
    package var json: String { JSONText.pretty(self) }
}

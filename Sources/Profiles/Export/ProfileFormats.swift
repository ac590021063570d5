// SPDX-License-Identifier: Apache-2.0

/// The formats of profiles for `--format`, with their help texts and file names.
package enum ProfileFormats {
    /// All formats; new ones come last.
    package static let all: [ProfileFormat] = [
        text("table", "top holders, residues and the kernel's figure", "txt") { HolderTable($0).plain },
        text("markdown", "the same for a document", "md") { HolderTable($0).markdown },
        ProfileFormat("pprof", "for pprof and Perfetto: profile.proto in gzip", fileExtension: "pb.gz", isText: false) {
            profile throws(HolderProfileError) in try PprofExport.bytes(of: profile)
        },
        text("speedscope", "for www.speedscope.app", "speedscope.json") { SpeedscopeExport.text(of: $0) },
        text("folded", "for flamegraph.pl and inferno: a line a stack, and its bytes", "folded") {
            FoldedExport.text(of: $0)
        },
        text("json", "the profile itself, the source of the others", "json") { ProfileDocument.text(of: $0) },
    ]

    package static func named(_ name: String) -> ProfileFormat? {
        all.first { $0.name == name }
    }

    private static func text(
        _ name: String, _ summary: String, _ fileExtension: String,
        draw: @escaping @Sendable (HolderProfile) -> String
    ) -> ProfileFormat {
        ProfileFormat(name, summary, fileExtension: fileExtension) { Array(draw($0).utf8) }
    }
}

package struct ProfileFormat: Sendable {
    package let name: String
    package let summary: String
    /// The extension of its files, without the first dot.
    package let fileExtension: String
    /// True for text that a terminal can show.
    package let isText: Bool
    private let draw: @Sendable (HolderProfile) throws(HolderProfileError) -> [UInt8]

    init(
        _ name: String, _ summary: String, fileExtension: String, isText: Bool = true,
        draw: @escaping @Sendable (HolderProfile) throws(HolderProfileError) -> [UInt8]
    ) {
        self.name = name
        self.summary = summary
        self.fileExtension = fileExtension
        self.isText = isText
        self.draw = draw
    }

    /// Returns the profile in this format.
    package func bytes(of profile: HolderProfile) throws(HolderProfileError) -> [UInt8] { try draw(profile) }
}

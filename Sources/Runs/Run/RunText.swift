// SPDX-License-Identifier: Apache-2.0

import Support

/// A run as `run.json` holds it, made trial by trial: the text of ten thousand takes hundreds of megabytes at once.
struct RunText: Sendable {
    /// As an encoder lays an empty list of trials out, and as a longer one begins and ends.
    ///
    /// A line begins like this nowhere else: what is deeper is indented more, and no string holds a line break.
    private static let (empty, beginning, end) = ("\n  \"trials\" : [\n\n  ]", "\n  \"trials\" : [\n", "\n  ]")

    private let trials: [Trial]
    private let before: String
    private let behind: String

    init(_ run: RunRecord) throws(FetchBenchError) {
        var head = run
        head.trials = []
        let text = try RunCoding.readableText(of: head)
        guard let place = text.firstRange(of: Self.empty) else { preconditionFailure("a run has a list of trials") }
        trials = run.trials
        before = String(text[..<place.lowerBound])
        behind = String(text[place.upperBound...])
    }

    var pieces: TextPieces {
        guard !trials.isEmpty else { return TextPieces(before + Self.empty + behind) }
        return TextPieces(trials.count) { index throws(FetchBenchError) in
            let beginning = index == 0 ? before + Self.beginning : ",\n"
            let end = index == trials.count - 1 ? Self.end + behind : ""
            return beginning + Self.indented(try RunCoding.readableText(of: trials[index])) + end
        }
    }

    /// A value's text as it stands in a list of the document: without its last line break, and each line further in.
    private static func indented(_ text: String) -> String {
        let margin = Array("    ".utf8)
        var lines: [UInt8] = []
        var isLineBegun = false
        lines.reserveCapacity(text.utf8.count * 3 / 2)
        for byte in text.utf8.dropLast() {
            // An empty list is laid out with an empty line, which has no margin.
            let isEnd = byte == UInt8(ascii: "\n")
            if !isEnd, !isLineBegun { lines += margin }
            isLineBegun = !isEnd
            lines.append(byte)
        }
        return String(decoding: lines, as: UTF8.self)
    }
}

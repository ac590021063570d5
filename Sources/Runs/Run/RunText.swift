// SPDX-License-Identifier: Apache-2.0

import Texts

/// A run as one JSON document, which no file of its folder is: its head with the list of its trials, each on a line.
///
/// It is handed over in pieces: the text of ten thousand trials takes tens of megabytes at once.
struct RunText: Sendable {
    /// What stands before the first trial.
    let beginning: String
    /// What stands behind the last one.
    let end = "\n  ]\n}\n"

    init(_ run: RunRecord) throws(FetchBenchError) {
        beginning = try RunCoding.readableText(of: run).dropLast("\n}\n".count) + ",\n  \"trials\" : ["
    }

    /// A trial as it stands in the list.
    /// - Parameter line: its JSON on a line, without the end of that.
    func item(_ line: some StringProtocol, at index: Int) -> String {
        (index == 0 ? "\n    " : ",\n    ") + line
    }
}

extension RunStore {
    /// A run as one document, piece by piece.
    package static func pieces(of run: RunRecord) throws(FetchBenchError) -> TextPieces {
        let text = try RunText(run)
        let trials = run.trials
        return TextPieces(trials.count + 2) { index throws(FetchBenchError) in
            switch index {
            case 0: text.beginning
            case trials.count + 1: text.end
            default: text.item(try RunCoding.compactText(of: trials[index - 1]).dropLast(), at: index - 1)
            }
        }
    }

    /// The same as one text.
    package static func text(of run: RunRecord) throws(FetchBenchError) -> String {
        try pieces(of: run).joined()
    }

    /// The same of a run that was read, with the trials as they are stored: to encode them again takes longer than all else.
    package static func passOn(
        _ run: RunRecord, from folder: RunFolder, onto out: (String) throws -> Void
    ) throws {
        let text = try RunText(run)
        try out(text.beginning)
        var count = 0
        var failure: (any Error)?
        try folder.eachLine(of: .log) { line, _ in
            // A last line that was cut off is no trial.
            guard failure == nil, count < run.trials.count else { return }
            do {
                try out(text.item(JSONText.harmless(String(decoding: line, as: UTF8.self)), at: count))
                count += 1
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        try out(text.end)
    }
}

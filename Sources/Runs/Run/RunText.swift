// SPDX-License-Identifier: Apache-2.0

/// A run as one JSON document: its head with the list of its trials, each on a line.
///
/// It is produced in pieces, since the text of ten thousand trials takes tens of megabytes.
struct RunText: Sendable {
    let beginning: String
    let end = "\n  ]\n}\n"

    init(_ run: RunRecord) throws {
        beginning = try RunCoding.readableText(of: run).dropLast("\n}\n".count) + ",\n  \"trials\" : ["
    }

    /// Returns the element of the list for a trial's line of JSON.
    func item(_ line: some StringProtocol, at index: Int) -> String {
        (index == 0 ? "\n    " : ",\n    ") + line
    }
}

extension RunStore {
    package static func pieces(of run: RunRecord) throws -> TextPieces {
        let text = try RunText(run)
        let trials = run.trials
        return TextPieces(trials.count + 2) { index in
            switch index {
            case 0: text.beginning
            case trials.count + 1: text.end
            default: text.item(try RunCoding.compactText(of: trials[index - 1]).dropLast(), at: index - 1)
            }
        }
    }

    package static func text(of run: RunRecord) throws -> String {
        try pieces(of: run).joined()
    }

    /// Writes a stored run as one document without encoding its trials again, which would take most of the time.
    package static func passOn(
        _ run: RunRecord, from folder: RunFolder, onto out: (String) throws -> Void
    ) throws {
        let text = try RunText(run)
        try out(text.beginning)
        var count = 0
        var failure: (any Error)?
        try folder.eachLine(of: .log) { line, _ in
            // The log may end with an incomplete line.
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

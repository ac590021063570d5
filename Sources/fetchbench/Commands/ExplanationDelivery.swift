// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import Holders
import Support

/// Prints what holds the peaks, or writes it into a folder.
struct ExplanationDelivery {
    let formats: [ProfileFormat]
    /// The folder for files, or `nil` where it is printed.
    let output: String?

    /// Delivers profiles.
    func deliver(_ record: ExplanationRecord) throws {
        let profiles = record.entries.compactMap { entry in entry.profile.map { (entry.cell, $0) } }
        for format in formats {
            for (cell, profile) in profiles {
                try put(format.bytes(of: profile), titled: cell, as: format, isAlone: profiles.count == 1)
            }
        }
    }

    /// Delivers the differences of the cases that both records explain.
    func deliver(base: ExplanationRecord, head: ExplanationRecord) throws {
        let common = head.entries.compactMap { entry -> (String, HolderDifference)? in
            guard let profile = entry.profile, let before = base.entry(of: entry.cell)?.profile else { return nil }
            return (entry.cell, HolderDifference(base: before, head: profile))
        }
        guard !common.isEmpty else {
            Console.complain("no case was explained on both sides")
            throw ExitStatus.noAnswer
        }
        for format in formats {
            for (cell, difference) in common {
                try put(
                    [UInt8](text(of: difference, as: format).utf8), titled: "\(cell): \(difference.headline)",
                    as: format,
                    isAlone: common.count == 1)
            }
        }
    }

    private func text(of difference: HolderDifference, as format: ProfileFormat) throws -> String {
        switch format.name {
        case "markdown": return HolderDifferenceTable(difference).markdown
        case "json":
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(difference), as: UTF8.self) + "\n"
        default: return HolderDifferenceTable(difference).plain
        }
    }

    private func put(_ bytes: [UInt8], titled title: String, as format: ProfileFormat, isAlone: Bool) throws {
        guard let output else {
            let text = String(decoding: bytes, as: UTF8.self)
            // A document of a machine's is the whole answer; tables are told apart by their titles.
            let heading =
                switch format.name {
                case "table": SafeText.forTerminal(title) + "\n"
                case "markdown": "## " + SafeText.forMarkdown(title) + "\n\n"
                default: ""
                }
            return try Console.answer(heading + text)
        }
        let name = (title.split(separator: ":").first.map(String.init) ?? title).map { character in
            character.isLetter || character.isNumber || "-_.".contains(character) ? character : "-"
        }
        let path = "\(output)/\(String(name)).\(format.fileExtension)"
        try FetchBenchError.onFiles { () throws(FileFailure) in
            try Folder.make(output)
            try WholeFile.write(bytes, to: path, name: PathText.name(of: path))
        }
        Console.note("stored in \(path)")
    }
}

// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation
import Glibc
import Judging
import Profiles

struct ExplanationDelivery {
    /// The formats for differences: viewers of profiles cannot show negative values.
    static let ofDifferences = ["table", "markdown", "json"]
    /// The formats that can be printed one after another; others are documents of their own.
    static let readable = ["table", "markdown"]

    let formats: [ProfileFormats.Format]
    let output: String?
    var isQuiet = false

    private struct Item {
        let name: String
        let heading: String
        let bytes: (ProfileFormats.Format) throws -> [UInt8]
    }

    /// The reason why this many items cannot be printed, or `nil`.
    static func obstacleToPrinting(_ count: Int, as formats: [ProfileFormats.Format]) -> String? {
        guard count * formats.count > 1, let format = formats.first(where: { !readable.contains($0.name) }) else {
            return nil
        }
        return "--format \(format.name) would write \(count * formats.count) documents: "
            + "add --output FOLDER, or use one case and one format"
    }

    func deliver(_ record: ExplanationRecord) throws {
        try deliver(
            record.entries.compactMap { entry in
                guard let profile = entry.profile else { return nil }
                let name = entry.cell + (entry.side.map { ", " + $0.rawValue } ?? "")
                return Item(name: name, heading: Self.heading(name, of: profile)) {
                    try $0.bytes(of: profile)
                }
            })
    }

    /// Delivers the differences of the cases that both sides explain; returns true if that is every case.
    func deliver(base: [ExplanationRecord.Entry], head: [ExplanationRecord.Entry]) throws -> Bool {
        var items: [Item] = []
        for entry in head {
            guard let profile = entry.profile, let before = base.first(where: { $0.cell == entry.cell })?.profile else {
                continue
            }
            let difference = HolderDifference(base: before, head: profile)
            items.append(
                Item(name: entry.cell, heading: "\(entry.cell): \(difference.headline)") {
                    [UInt8](try Self.text(of: difference, case: entry.cell, as: $0).utf8)
                })
        }
        let missing = Set((base + head).map(\.cell)).count - items.count
        if missing > 0 { Console.complain("\(missing) cases are explained on one side only, or not at all") }
        try deliver(items)
        return missing == 0 && !items.isEmpty
    }

    /// Returns the case with its largest holder: the answer, before the table.
    private static func heading(_ name: String, of profile: HolderProfile) -> String {
        name + (HolderTable(profile).answer.map { ": \($0)" } ?? "")
    }

    private static func text(of difference: HolderDifference, case cell: String, as format: ProfileFormats.Format)
        throws
        -> String
    {
        switch format.name {
        case "markdown": return HolderDifferenceTable(difference).markdown
        case "json": return JSONText.pretty(DifferenceDocument(cell: cell, difference: difference)) + "\n"
        default: return HolderDifferenceTable(difference).plain
        }
    }

    private struct DifferenceDocument: Encodable {
        let cell: String
        let difference: HolderDifference

        private enum CodingKeys: String, CodingKey {
            case difference
            case cell = "case"
        }
    }

    private func deliver(_ items: [Item]) throws {
        guard let output else {
            if let obstacle = Self.obstacleToPrinting(items.count, as: formats) {
                Console.complain(obstacle)
                throw ExitCode.validationFailure
            }
            for format in formats { for item in items { try print(item, as: format) } }
            return
        }
        var failed = 0
        for (format, files) in zip(formats, fileNames(for: items.map(\.name))) {
            for (item, file) in zip(items, files) {
                do {
                    try store(item, as: format, in: output, file)
                } catch {
                    Console.complain("\(SafeText.forTerminal(item.heading)): \(error)")
                    failed += 1
                }
            }
        }
        guard failed == 0 else {
            Console.complain("\(failed) of \(items.count * formats.count) files were not stored")
            throw ExitCode.noAnswer
        }
    }

    private func print(_ item: Item, as format: ProfileFormats.Format) throws {
        let text = String(decoding: try item.bytes(format), as: UTF8.self)
        switch format.name {
        case "table":
            try Console.answer(Prose.wrapped(SafeText.forTerminal(item.heading), indent: 2) + "\n\n" + text)
        case "markdown": try Console.answer("## " + SafeText.forMarkdown(item.heading) + "\n\n" + text)
        default: try Console.answer(text)
        }
    }

    /// Throws where a file of one of the cases is there already, before they are measured for nothing.
    func checkNothingIsOverwritten(of cases: [String]) throws {
        guard let output else { return }
        for file in fileNames(for: cases).joined() { try Self.checkAbsence(of: "\(output)/\(file)") }
    }

    private static func checkAbsence(of path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        throw FetchBenchError.cannotWrite(name: path, errno: EEXIST)
    }

    /// The names of the files of each format; cases whose names differ only in what file names lack are numbered.
    private func fileNames(for names: [String]) -> [[String]] {
        var taken: Set<String> = []
        return formats.map { format in
            names.map { name in
                let plain = Self.fileName(for: name)
                let candidates = [plain] + (2...(taken.count + 2)).map { "\(plain)-\($0)" }
                return candidates.map { "\($0).\(format.fileExtension)" }.first { taken.insert($0).inserted } ?? plain
            }
        }
    }

    private func store(_ item: Item, as format: ProfileFormats.Format, in output: String, _ file: String) throws {
        let path = "\(output)/\(file)"
        try Self.checkAbsence(of: path)
        let bytes = try item.bytes(format)
        try makeFolder(output)
        try WholeFile.write(bytes, to: path, name: file)
        if !isQuiet { Console.note("stored in \(path)") }
    }

    /// Returns a name of plain characters, whose middle is left out if it is longer than file systems allow: 255 bytes
    /// with a number, an extension and the mark of a draft.
    private static func fileName(for name: String) -> String {
        let plain = name.unicodeScalars.map { scalar -> Character in
            let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            return isPlain || "-_.".unicodeScalars.contains(scalar) ? Character(scalar) : "-"
        }
        let text = String(plain)
        guard text.utf8.count > longestName else { return text }
        // Four bytes at most are a scalar.
        return String(plain.prefix(longestName / 8)) + "…" + String(plain.suffix(longestName / 8))
    }

    private static let longestName = 200
}

extension RunMeasurement {
    /// Adds to each regression who holds more, and stores that beside the verdict; the verdict stands without it, so
    /// errors are only warnings.
    func explain(_ judgement: inout Judgement, isQuiet: Bool) async throws {
        let names = Set(judgement.findings.filter(\.isExplainable).map(\.cell))
        let cells = cells.filter { names.contains($0.identifier) }
        guard !cells.isEmpty else { return }
        let display = ProgressDisplay(.here(isShown: !isQuiet), "preparing to explain")
        defer { display.finish() }
        do {
            let record = try await whileListeningForSignals {
                try await explained(cells) { display.began("explaining", $0, $1, of: $2) }
            }
            display.finish()
            try RunStore.write(record, to: folder)
            judgement.explain(by: record)
            for entry in record.entries {
                guard let obstacle = entry.obstacle, let side = entry.side else { continue }
                Console.warn("\(side.rawValue), \(entry.cell) cannot be explained: \(obstacle)")
            }
        } catch is CancellationError {
            Console.warn("interrupted: the verdict is complete, but regressions are not explained")
        } catch {
            Console.warn("regressions are not explained: \(error)")
        }
    }
}

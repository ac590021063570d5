// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

extension HostileText {
    /// Expects nothing that a terminal or the runner of a job acts on; lines that begin with two colons are for the console.
    static func expectHarmless(_ text: String, in format: String) {
        let harmful = text.unicodeScalars.filter {
            ($0.value < 0x20 && $0 != "\n") || (0x7F..<0xA0).contains($0.value) || (0x202A...0x202E).contains($0.value)
                || (0x2066...0x2069).contains($0.value)
        }
        #expect(harmful.isEmpty, "\(format): \(harmful.map(\.value))")
        #expect(!text.contains("##["), "\(format)")
        let lines = SafeText.withoutCommands(text).split(separator: "\n")
        #expect(!lines.contains { $0.drop(while: \.isWhitespace).hasPrefix("::") }, "\(format)")
    }

    static func expectWholeTables(_ text: String) {
        // In code nothing is markup.
        let prose = text.replacing(/(?m)^ {4}.*$/, with: "").replacing(/(`+)[^`].*?\1(?!`)/, with: "")
        #expect(!prose.contains("<script") && !prose.contains("<img"))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for table in lines.split(whereSeparator: { !$0.hasPrefix("|") }) {
            let columns = table.map { $0.replacing("\\\\", with: "").replacing("\\|", with: "").count { $0 == "|" } }
            #expect(Set(columns).count == 1, "\(table.joined(separator: "\n"))")
        }
    }
}

/// Programs that know a format better than these tests do.
enum FormatReader {
    /// Rows as long as the header, and no cell that a spreadsheet would take for a formula.
    static func expectTable(_ text: String) throws {
        let program = """
            import csv, io, sys
            text = sys.stdin.buffer.read().decode("utf-8")
            assert not any(line.lstrip().startswith("::") for line in text.split("\\n")), "a command of the runner"
            rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
            for row in rows:
                assert len(row) == len(rows[0]), row
                for cell in row:
                    if cell[:1] in tuple("=+-@\\t\\r"):
                        float(cell)
            """
        try expectAccepted("/usr/bin/python3", "python3", ["-c", program], text)
    }

    static func expectJSON(_ text: String) throws {
        let program = "import json, sys; json.loads(sys.stdin.buffer.read().decode('utf-8'))"
        try expectAccepted("/usr/bin/python3", "python3", ["-c", program], text)
    }

    private static func expectAccepted(
        _ tool: String, _ package: String, _ arguments: [String], _ text: String
    ) throws {
        let ended = try TestProcess.tool(tool, of: package, arguments, input: Array(text.utf8))
        #expect(ended.status == 0, "\(ended.complaint.suffix(600))")
    }
}

/// A stored run in which every text can be changed that a reader of runs takes as it comes.
final class PoisonedRun: Sendable {
    static var shared: PoisonedRun { get throws { try made.get() } }
    private static let made = Result { try PoisonedRun() }

    /// Where the texts are, without the numbers of elements.
    let paths: Set<String>
    private let text: String

    private init() throws {
        let plan = Plan.synthetic(allocators: [.glibc], trials: 1)
        let complete = try SyntheticRun.complete()
        let trials = complete.trials.filter { $0.cell.allocator == .glibc && $0.number <= plan.cases.count }
        var run = SyntheticRun.record(plan).completed(from: trials, finishedAt: "2026-01-02T03:06:07Z")
        run.trials[0].outcome = Outcome(.failed, "detail")
        run.warnings.append(RunWarning("a doubt", remedy: "a remedy"))
        Self.play("gallery", in: &run)
        text = try RunStore.text(of: run)
        let tree = try Self.tree(text)
        var accepted: Set<String> = []
        for path in Self.paths(in: tree).sorted() {
            let one = Self.changed(tree, at: accepted.union([path])) { "x|\n" + $0 }
            if (try? Self.load(one)) != nil { accepted.insert(path) }
        }
        // A scenario of another name than its cases play is in no table.
        paths = accepted.subtracting([".scenarios.name"])
    }

    /// Lets the cases of one mode play a scenario, whose program says what it likes.
    private static func play(_ name: String, in run: inout RunRecord) {
        run.scenarios = OurFigures.scenarios.filter { $0.name == name }
        for index in run.plan.cases.indices where run.plan.cases[index].mode == "data" {
            run.plan.cases[index].conditions.scenario.name = name
        }
        for index in run.trials.indices where run.trials[index].cell.mode == "data" {
            run.trials[index].cell.conditions.scenario.name = name
            run.trials[index].report?.scenario = ScenarioReading(
                figures: ["scenario_requests": 1], trace: ["a line"], remarks: ["a title", "a remark"],
                conclusions: ["a conclusion"])
        }
    }

    func run(beginningWith hostile: String) throws -> RunRecord {
        try Self.load(Self.changed(Self.tree(text), at: paths) { hostile + $0 })
    }

    private static func tree(_ text: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    private static func load(_ tree: Any) throws -> RunRecord {
        var head = tree as? [String: Any] ?? [:]
        let trials = head.removeValue(forKey: "trials") as? [Any] ?? []
        return try StoredText(
            head: Self.line(head), log: trials.map { try Self.line($0) }.joined()
        ).loaded()
    }

    private static func line(_ tree: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: tree), as: UTF8.self) + "\n"
    }

    private static func paths(in tree: Any, at path: String = "") -> Set<String> {
        switch tree {
        case is String: [path]
        case let list as [Any]: list.reduce(into: []) { $0.formUnion(paths(in: $1, at: path)) }
        case let members as [String: Any]:
            members.reduce(into: []) { $0.formUnion(paths(in: $1.value, at: path + "." + $1.key)) }
        default: []
        }
    }

    private static func changed(
        _ tree: Any, at paths: Set<String>, path: String = "", _ change: (String) -> String
    ) -> Any {
        switch tree {
        case let text as String: paths.contains(path) ? change(text) : text
        case let list as [Any]: list.map { changed($0, at: paths, path: path, change) }
        case let members as [String: Any]:
            Dictionary(
                uniqueKeysWithValues: members.map { ($0, changed($1, at: paths, path: path + "." + $0, change)) })
        default: tree
        }
    }
}

enum MutatedJSON {
    private struct NoSuchPlace: Error {
        let path: String
    }

    /// The text of a document.
    /// - Parameters:
    ///   - path: where the value is: keys and indices with dots between them.
    ///   - value: the text of the new one; empty to remove it.
    static func text(of document: Data, setting path: String, to value: String) throws -> String {
        let whole = try JSONSerialization.jsonObject(with: document)
        // The value stands for itself until it is text: not every number that can be written can be held.
        let mark = "HERE-IT-IS"
        let changed = try replaced(whole, path.split(separator: ".").map(String.init), by: value.isEmpty ? nil : mark)
        let text = try JSONSerialization.data(withJSONObject: changed, options: [.sortedKeys])
        return String(decoding: text, as: UTF8.self).replacing("\"\(mark)\"", with: value)
    }

    private static func replaced(_ whole: Any, _ path: [String], by value: Any?) throws -> Any {
        guard let key = path.first else { return value ?? NSNull() }
        let rest = Array(path.dropFirst())
        if var object = whole as? [String: Any] {
            object[key] = rest.isEmpty ? value : try replaced(object[key] ?? [String: Any](), rest, by: value)
            return object
        }
        guard var list = whole as? [Any], let index = Int(key), list.indices.contains(index) else {
            throw NoSuchPlace(path: key)
        }
        if rest.isEmpty, value == nil {
            list.remove(at: index)
        } else {
            list[index] = try replaced(list[index], rest, by: value)
        }
        return list
    }
}

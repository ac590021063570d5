// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A run's folder, read as a stranger's script would read it.
struct StoredRun {
    let folder: String

    init(_ folder: String) throws {
        self.folder = folder
        guard FileManager.default.fileExists(atPath: folder) else { throw Obstacle("there is no folder of the run") }
    }

    var files: Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    }

    func text(of file: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: folder + "/" + file) else {
            throw Obstacle("\(file) is missing")
        }
        return String(decoding: data, as: UTF8.self)
    }

    func record() throws -> Record { try Record(json: try text(of: "run.json")) }

    func logLines() -> [String] {
        let text = (try? text(of: "trials.jsonl")) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    func trials() throws -> [StoredTrial] { try logLines().map(StoredTrial.init(json:)) }

    func table(_ file: String) throws -> CSVTable { try CSVTable(try text(of: file)) }

    /// Expects the series of every trial of which something was sampled while it was measured, and of no others.
    ///
    /// On a busy machine a trial that fetches nothing can end before its sampler has had a turn.
    func expectSeries() throws {
        let trials = try trials()
        let stored = Set(try table("samples.csv").rows.compactMap { $0["trial"].flatMap(Int.init) })
        #expect(stored.isSubset(of: trials.map(\.trial)))
        let measured = Set(trials.filter { $0.sampledMaximumResidentBytes != nil }.map(\.trial))
        #expect(measured.isSubset(of: stored), "\(measured.subtracting(stored))")
        #expect(measured.count > trials.count * 3 / 4, "\(measured.count) of \(trials.count)")
    }

    func rows(ofMode mode: String) throws -> [CSVTable.Row] {
        try table("trials.csv").rows.filter { $0["mode"] == mode }
    }

    struct Record: Decodable {
        struct Plan: Decodable {
            var seed: UInt64
            var assets: [Asset]
        }
        struct Asset: Decodable {
            var name: String
            var sha256: String?
        }
        struct Environment: Decodable {
            struct Allocator: Decodable {
                var name: String
            }
            var allocators: [String: Allocator]
        }
        struct Warning: Decodable {
            var text: String
        }
        var schema: Int
        var identifier: String
        var plan: Plan
        var environment: Environment
        var warnings: [Warning]
        var finishedAt: String?
    }
}

extension Decodable {
    /// Decodes a file of the harness, whose keys are in snake case.
    init(json text: String) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(Self.self, from: Data(text.utf8))
    }
}

struct StoredTrial: Decodable {
    struct Cell: Decodable, Hashable {
        var asset: String
        var mode: String
        var render: String
        var allocator: String
    }
    struct Outcome: Decodable, Hashable {
        var kind: String
        var detail: String
    }
    struct Peak: Decodable {
        var residentBytes: Int
        var errorBoundBytes: Int
    }
    struct Memory: Decodable {
        var residentBytes: Int
        var anonymousBytes: Int
    }
    struct Mark: Decodable {
        var memory: Memory
    }
    struct Phase: Decodable {
        var phase: String
        var startNs: Int
        var endNs: Int
        var peak: Peak
        var end: Mark
    }
    struct Report: Decodable {
        var baseline: Mark?
        var phases: [Phase]
    }
    var trial: Int
    var `case`: Cell
    var outcome: Outcome
    var report: Report?
    var sampledMaximumResidentBytes: Int?
}

/// RFC 4180: fields in quotes where they need them.
struct CSVTable {
    typealias Row = [String: String]

    let header: [String]
    let rows: [Row]

    init(_ text: String) throws {
        var records = MiniCSV.rows(of: text)
        guard !records.isEmpty else { throw Obstacle("a CSV file without a header row") }
        let header = records.removeFirst()
        self.header = header
        rows = try records.map { fields in
            guard fields.count == header.count else {
                throw Obstacle("a row of \(fields.count) fields under \(header.count) columns")
            }
            return Dictionary(zip(header, fields)) { first, _ in first }
        }
    }
}

extension CSVTable.Row {
    func number(_ column: String) throws -> Double {
        guard let text = self[column], let number = Double(text) else {
            throw Obstacle("\(column) is no number: '\(self[column] ?? "missing")'")
        }
        return number
    }

    func mebibytes(_ column: String) throws -> Double { try number(column) / 1_048_576 }
}

struct PlanOfRun: Equatable {
    private let members: NSDictionary

    init(_ run: StoredRun) throws {
        let root = try JSONSerialization.jsonObject(with: Data(try run.text(of: "run.json").utf8)) as? [String: Any]
        guard let plan = root?["plan"] as? NSDictionary else { throw Obstacle("run.json has no plan") }
        members = plan
    }

    var cases: [NSDictionary] { members["cases"] as? [NSDictionary] ?? [] }
    var settings: NSDictionary? { members["settings"] as? NSDictionary }
    var commands: [String] { (members["commands"] as? [NSDictionary] ?? []).compactMap { $0["command"] as? String } }
    var seed: Int? { members["seed"] as? Int }
}

extension Sandbox {
    func shell(_ line: String, within seconds: Double = 60) async throws -> Ended {
        let folder = URL(fileURLWithPath: BuiltBinary.path).deletingLastPathComponent().path
        let path = "\(folder):\(environment["PATH"] ?? "/usr/bin:/bin")"
        return try await start(BuiltBinary.tool("sh"), ["-c", line], environment: ["PATH": path]).end(within: seconds)
    }

    /// The words that a shell makes of a command line, `fetchbench` left out, where the binary takes them all.
    func words(of line: String) async throws -> [String] {
        let function = "fetchbench() { \"$BINARY\" parse -- \"$@\" && printf '%s\\0' \"$@\"; }\n"
        let ended = try await start(
            BuiltBinary.tool("sh"), ["-c", function + line], environment: ["BINARY": BuiltBinary.path]
        ).end(within: 20)
        guard ended.status == 0 else { throw Obstacle("\(line): \(ended.complaint)") }
        return ended.output.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

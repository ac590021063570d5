// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A verdict as JSON, read as a stranger's script would read it.
struct StoredJudgement: Decodable {
    struct Finding: Decodable {
        var `case`: String
        var metric: String
        var part: String?
        var change: Double?
        var scale: Double?
        var verdict: String
        var base: Double?
        var head: Double?
        var effect: Double?
        var interval: [Double]?
        var p: Double?
        var limit: Double?
        var baseTrials: Int
        var headTrials: Int
        var confirmed: Bool
        var phase: String?
        var budget: String?
        var reason: String
        var reproduce: String?
        var overHosts: OverHosts?
    }
    struct OverHosts: Decodable {
        struct Change: Decodable {
            var host: String
            var effect: Double
            var headTrials: Int
        }
        struct Mean: Decodable {
            var effect: Double
            var interval: [Double]
            var deviation: Double
        }
        var changes: [Change]
        var decidedBy: String?
        var mean: Mean?
    }
    struct Warning: Decodable {
        var text: String
    }
    var answer: String
    var kind: String
    var findings: [Finding]
    var warnings: [Warning]

    init(_ text: String) throws { try self.init(json: text) }

    /// Those of memory: a machine that is busy with other tests may vary too much for those of processor time.
    var memory: [Finding] { findings.filter { $0.metric != "fetch_cpu_ns" } }

    func findings(on metric: String) -> [Finding] {
        findings.filter { $0.metric == metric }
    }
}

struct StoredTraces {
    struct Peak: Decodable {
        var residentBytes: Int
        var errorBoundBytes: Int
    }
    struct Process: Decodable {
        var name: String
        var outlived: Bool
        var mapsJemalloc: Bool
        var peak: Peak
    }
    struct Trace: Decodable {
        var method: String
        var exitStatus: Int?
        var timedOut: Bool
        var processes: [Process]
    }
    struct Report: Decodable {
        var command: Trace?
    }
    struct Trial: Decodable {
        var trial: Int
        var `case`: StoredTrial.Cell
        var outcome: StoredTrial.Outcome
        var report: Report?
    }
    private let trials: [Trial]

    init(_ run: StoredRun) throws { trials = try run.logLines().map(Trial.init(json:)) }

    func trials(of mode: String) -> [Trial] {
        trials.filter { $0.case.mode == mode }.sorted { $0.trial < $1.trial }
    }

    func trace(of mode: String) throws -> Trace {
        let traces = trials(of: mode).compactMap { $0.report?.command }
        guard traces.count == 1 else { throw Obstacle("\(traces.count) traces of \(mode)") }
        return traces[0]
    }
}

struct EditedJSON {
    private var root: Any

    init(_ text: String) throws {
        root = try JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    func text() throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: root, options: [.sortedKeys]), as: UTF8.self)
    }

    /// Replaces the value at a path of keys; `*` stands for every key, and `nil` takes the key away.
    func setting(_ keys: String..., to value: Any?) -> EditedJSON {
        changing(keys[...]) { _ in value }
    }

    /// Multiplies the numbers at a path of keys, in arrays as well.
    func scaling(_ keys: String..., by factor: Double) -> EditedJSON {
        changing(keys[...]) { Self.scaled($0, factor) }
    }

    private func changing(_ keys: ArraySlice<String>, _ change: (Any?) -> Any?) -> EditedJSON {
        var copy = self
        copy.root = Self.changed(root, keys, change) ?? root
        return copy
    }

    private static func changed(_ value: Any?, _ keys: ArraySlice<String>, _ change: (Any?) -> Any?) -> Any? {
        guard let key = keys.first else { return change(value) }
        guard var members = value as? [String: Any] else { return value }
        for name in key == "*" ? Array(members.keys) : [key] {
            members[name] = changed(members[name], keys.dropFirst(), change)
        }
        return members
    }

    private static func scaled(_ value: Any?, _ factor: Double) -> Any? {
        if let array = value as? [Any] { return array.compactMap { scaled($0, factor) } }
        return (value as? Double).map { $0 * factor }
    }
}

extension EditedJSON {
    func numbers(_ keys: String...) throws -> [Double] {
        var value: Any? = root
        for key in keys { value = (value as? [String: Any])?[key] }
        if let number = value as? Double { return [number] }
        guard let numbers = value as? [Double] else { throw Obstacle("no numbers at \(keys.joined(separator: ", "))") }
        return numbers
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Merges the runs of shards into one run, trial by trial: memory depends on the number of shards alone.
///
/// Trials are copied byte for byte in the order of the plan, so that merging is associative, and may be repeated with the
/// same parts. Nothing is merged silently: parts that do not belong together are refused, and the missing trials counted.
package struct ShardMerge {
    /// The head of the merged run, without trials; finished if none is missing.
    package private(set) var record: RunRecord
    package private(set) var missing: [Int: Int] = [:]
    package private(set) var trialCount = 0
    private let folders: [RunFolder]
    /// The runs that were interrupted, whose last line may be cut off.
    private var interrupted: Set<RunFolder> = []

    /// Reads the heads of the runs to be merged.
    /// - Parameter now: The time of this machine, as ISO 8601 in UTC, which no shard can have begun or ended after.
    package init(of folders: [RunFolder], at now: String) throws {
        self.folders = folders.sorted { $0.path < $1.path }
        var merged: RunRecord?
        var astray: [String] = []
        var cases: Set<Case> = []
        for folder in self.folders {
            // A process that still measures would go on writing.
            _ = try RunLock(folder)
            let head = try RunStore.head(of: folder, besides: merged)
            if head.finishedAt == nil { interrupted.insert(folder) }
            if head.startedAt > now || head.finishedAt.map({ $0 < head.startedAt || $0 > now }) ?? false {
                astray.append(folder.name)
            }
            cases.formUnion(head.plan.cases)
            if merged == nil { merged = try Self.beginning(head, folder) } else { try merged?.add(head, of: folder) }
        }
        guard let merged else { preconditionFailure("the merging of no run") }
        record = merged
        record.plan.cases = merged.wholePlan.cases.filter(cases.contains)
        guard let first = astray.first else { return }
        record.warnings.append(
            RunWarning(
                "the clocks of hosts disagree: \(astray.count) shards, the first \(first), ended before they began or after now",
                remedy: "figures do not depend on them; set the clocks before the next run"))
    }

    private static func beginning(_ head: RunRecord, _ folder: RunFolder) throws -> RunRecord {
        guard head.sharding != nil else {
            throw FetchBenchError.notMergeable(
                name: folder.name, reason: "it is not a shard: it was measured without --shard")
        }
        var merged = head
        merged.sharding?.number = nil
        merged.sharding?.endedAt = head.sharding?.endedAt ?? head.finishedAt
        merged.warnings = []
        return merged
    }

    /// Writes the trials and their series into the folder of the merged run, then its head.
    package mutating func write(to folder: RunFolder) throws {
        record.identifier = folder.name
        let log = try BlockWriter(folder.draft(of: .log))
        let samples = try BlockWriter(folder.draft(of: .samples))
        try mergeTrials(to: log)
        try mergeSamples(to: samples)
        // Without an end, a session was killed between its last trial and its record.
        record.finishedAt = missing.isEmpty ? record.sharding?.endedAt ?? record.startedAt : nil
        // Only now, so that a failure leaves no file behind.
        try samples.finish()
        try log.finish()
        try RunStore.write(record, to: folder)
    }

    private struct PlanCheck {
        private(set) var missing: [Int: Int] = [:]
        private var turns: ShardTurns
        private var turn: ShardTurns.Turn?
        private let cases: [Case]
        private let texts: [[UInt8]]
        private let hosts: [[UInt8]]
        private var hostsOfCases: [Set<Int>]

        init(of plan: Plan, _ sharding: Sharding) throws {
            turns = ShardTurns(of: plan, sharding)
            turn = turns.next()
            cases = plan.cases
            texts = try cases.map { Array(try RunCoding.compactText(of: $0).utf8.dropLast()) }
            hosts = sharding.hosts.map { Array("\"\($0.identifier)\"".utf8) }
            hostsOfCases = cases.map { _ in [] }
        }

        /// Takes the next trial, and counts those before it that are missing.
        mutating func take(_ entry: LineMerge.Entry, of folder: RunFolder) throws {
            while let waiting = turn, waiting.trial < entry.number { skip(waiting) }
            try entry.bytes.withUnsafeBufferPointer { bytes in
                guard let turn, turn.trial == entry.number, Self.is(bytes, entry.line.cell, texts[turn.place]),
                    Self.pairing(turn.pairing, is: bytes[entry.line.pairing])
                else {
                    throw FetchBenchError.malformedRun(
                        name: folder.name, reason: "trial \(entry.number) of trials.jsonl does not match the plan")
                }
                guard let host = hosts.firstIndex(where: { Self.is(bytes, entry.line.host, $0) }) else {
                    throw FetchBenchError.malformedRun(
                        name: folder.name, reason: "trial \(entry.number) of trials.jsonl has no known host")
                }
                guard turn.pairing == nil else { return }
                if !hostsOfCases[turn.place].contains(host) { hostsOfCases[turn.place].insert(host) }
                // After a failure in a run, the command had no further trials.
                if cases[turn.place].isOwnCommand, !Self.isCompleted(bytes[entry.line.outcome]) {
                    turns.giveUp(turn.place)
                }
            }
            turn = turns.next()
        }

        mutating func end() { while let waiting = turn { skip(waiting) } }

        private mutating func skip(_ waiting: ShardTurns.Turn) {
            missing[waiting.shard, default: 0] += 1
            turn = turns.next()
        }

        private static func `is`(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Range<Int>, _ text: [UInt8]) -> Bool {
            guard place.count == text.count, let start = bytes.baseAddress else { return false }
            return text.withUnsafeBufferPointer { other in
                other.baseAddress.map { memcmp(start + place.lowerBound, $0, text.count) == 0 } ?? true
            }
        }

        private static func pairing(_ pairing: Pairing?, is text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
            guard let pairing else { return text.isEmpty }
            return text.elementsEqual(
                "{\"side\":\"\(pairing.side.rawValue)\",\"stage\":\"\(pairing.stage.rawValue)\"}".utf8)
        }

        private static func isCompleted(_ outcome: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
            let text = String(decoding: outcome, as: UTF8.self)
            return text.contains("\"kind\":\"\(Outcome.Kind.completed.rawValue)\"")
        }

        /// Cases whose trials ran on several hosts, as a shard that is resumed elsewhere leaves them.
        var warnings: [RunWarning] {
            let mixed = zip(cases, hostsOfCases).filter { $0.1.count > 1 }.map(\.0.identifier).sorted()
            guard let first = mixed.first else { return [] }
            return [
                RunWarning(
                    "\(mixed.count) cases, the first \(first), were measured on several hosts; their figures are those of the host "
                        + "that completed most of their trials",
                    remedy: "measure their shards again on one host each")
            ]
        }
    }

    private final class BlockWriter {
        private static let size = 1 << 20

        private let draft: FileDraft
        private var block: [UInt8] = []

        init(_ draft: FileDraft) {
            self.draft = draft
            block.reserveCapacity(2 * Self.size)
        }

        func append(_ line: [UInt8]) throws {
            block += line
            block.append(UInt8(ascii: "\n"))
            if block.count >= Self.size { try flush() }
        }

        func finish() throws {
            try flush()
            try draft.finish()
        }

        private func flush() throws {
            try draft.append(block)
            block.removeAll(keepingCapacity: true)
        }
    }
}

// MARK: - Trials

extension ShardMerge {
    /// Copies the trials in order, and counts those that are missing.
    private mutating func mergeTrials(to output: BlockWriter) throws {
        guard let sharding = record.sharding else { preconditionFailure("a merged run has shards") }
        var lines = try LineMerge(.log, of: folders) { [interrupted] bytes, place in
            if let line = TrialLine(bytes) { return line }
            if !place.isWhole, interrupted.contains(place.folder) { return nil }
            throw FetchBenchError.malformedRun(
                name: place.folder.name,
                reason: "\(place.words) is not a trial" + (place.isWhole ? "" : ": the file is cut off there"))
        }
        var check = try PlanCheck(of: record.wholePlan, sharding)
        var last: LineMerge.Entry?
        while let entry = try lines.next() {
            if let last, last.number == entry.number {
                guard last.bytes == entry.bytes else {
                    throw FetchBenchError.notMergeable(
                        name: folders[entry.source].name,
                        reason: "trial \(entry.number) is also in \(folders[last.source].name), with other values")
                }
                continue
            }
            try check.take(entry, of: folders[entry.source])
            try output.append(entry.bytes)
            trialCount += 1
            last = entry
        }
        check.end()
        missing = check.missing
        record.warnings += check.warnings
    }

    /// Copies the series of the trials, of a trial that several runs have that of the first.
    private func mergeSamples(to output: BlockWriter) throws {
        var lines = try LineMerge(.samples, of: folders.filter { $0.has(.samples) }) { bytes, _ in
            TrialLine(row: bytes)
        }
        try output.append(Array(SamplesTable.header.dropLast().utf8))
        var last: (number: Int, source: Int)?
        while let entry = try lines.next() {
            if last?.number != entry.number { last = (entry.number, entry.source) }
            if last?.source == entry.source { try output.append(entry.bytes) }
        }
    }
}

// MARK: - Heads

extension RunRecord {
    /// Adds the head of another run of the same plan, without its cases.
    fileprivate mutating func add(_ other: RunRecord, of folder: RunFolder) throws {
        if let reason = obstacle(to: other) { throw FetchBenchError.notMergeable(name: folder.name, reason: reason) }
        guard var sharding, let second = other.sharding else { preconditionFailure("both are shards") }
        second.hosts.forEach { sharding.add($0) }
        sharding.endedAt = [sharding.endedAt, second.endedAt ?? other.finishedAt].compactMap(\.self).max()
        self.sharding = sharding
        programs = Self.united(programs, other.programs)
        executables = Self.united(executables, other.executables)
        startedAt = min(startedAt, other.startedAt)
        for scenario in other.scenarios ?? [] where !(scenarios ?? []).contains(scenario) {
            scenarios = (scenarios ?? []) + [scenario]
        }
        if let first = sharding.hosts.first { environment = first.environment }
    }

    private static func united(_ known: [ProgramFile]?, _ others: [ProgramFile]?) -> [ProgramFile]? {
        known.map { known in (known + (others ?? []).filter { !known.contains($0) }).sorted { $0.name < $1.name } }
    }

    private func obstacle(to other: RunRecord) -> String? {
        guard let sharding, let second = other.sharding else {
            return "it is not a shard: it was measured without --shard"
        }
        if tool != other.tool { return "it was measured by \(other.tool), the others by \(tool)" }
        if sharding.build != second.build {
            return "it was measured by another build of fetchbench than the others; measure it again with one build"
        }
        if kind != other.kind { return "it is a \(other.kind.rawValue), the others are a \(kind.rawValue)" }
        if sharding.count != second.count || sharding.blocks != second.blocks {
            return "it is one of \(second.count) shards, the others are of \(sharding.count)"
        }
        if sharding.planHash != second.planHash {
            return "it is of another plan (\(second.planHash.prefix(12)), not \(sharding.planHash.prefix(12)))"
        }
        if suite != other.suite || budgets != other.budgets || noise != other.noise || comparison != other.comparison {
            return "its suite, budgets, noise floors or sides differ from those of the others"
        }
        let changed = (other.programs ?? []).first { file in
            programs?.contains { $0.name == file.name && $0 != file } ?? false
        }
        let name = changed?.name ?? replacedExecutable(among: other.executables ?? [])
        return name.map { "its program \($0) is of another build than that of the others" }
    }
}

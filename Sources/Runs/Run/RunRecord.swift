// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing

/// One execution of a plan on one machine: a head, stored in `run.json`, and trials, stored in `trials.jsonl`.
package struct RunRecord: Codable, Hashable, Sendable {
    /// The version of the format and of the columns; other ones are rejected.
    package static let currentSchema = 3

    package enum Kind: String, Codable, Hashable, Sendable {
        case run
        /// A plan was run and judged by budgets and a baseline.
        case check
        /// Two sides were run in pairs and judged.
        case comparison
        /// One build was run on both sides, to measure the noise of the machine.
        case calibration
        /// The smallest memory limits of the cases were searched.
        case survival

        package var command: String {
            switch self {
            case .run: "run"
            case .check: "check"
            case .comparison: "compare"
            case .calibration: "calibrate"
            case .survival: "survive"
            }
        }

        package var isPaired: Bool { self == .comparison || self == .calibration }
    }

    package var schema = Self.currentSchema
    package var kind: Kind
    package var identifier: String
    /// The program that wrote it: `fetchbench 0.1.0`.
    package var tool: String
    package var startedAt: String
    package var finishedAt: String?
    package var reproduce: String
    package var suite: String?
    package var plan: Plan
    /// The plan of all shards, of which ``plan`` has the cases of this one; `nil` of a run that is no shard.
    ///
    /// It is stored as `plan.json`, and not encoded here: a thousand shards have the same one.
    package var planOfShards: Plan?
    /// The place of the run among the shards of a plan; `nil` of a run that measures all of its plan.
    package var sharding: Sharding?
    package var programs: [ProgramFile]?
    /// The executables of the commands, as far as they can be found; `nil` of runs of earlier versions.
    package var executables: [ProgramFile]?
    /// The two sides of pairs; `nil` in a run of one plan.
    package var comparison: Comparison?
    package var budgets: [String]?
    /// The declarations of the measured programs' scenarios, without those parts that are needed only to request one.
    package var scenarios: [ScenarioDeclaration]?
    package var noise: NoiseFloors?
    package var environment: MachineEnvironment
    package var warnings: [RunWarning] = []
    /// The trials in the order of execution; empty during the run, and not encoded.
    package var trials: [Trial] = []

    package init(
        _ kind: Kind = .run, identifier: String, tool: String, startedAt: String, reproduce: String, suite: String?,
        plan: Plan,
        environment: MachineEnvironment
    ) {
        (self.kind, self.identifier, self.tool) = (kind, identifier, tool)
        (self.startedAt, self.reproduce, self.suite) = (startedAt, reproduce, suite)
        (self.plan, self.environment) = (plan, environment)
    }

    private enum CodingKeys: String, CodingKey {
        case schema, kind, identifier, tool, reproduce, suite, plan, sharding, programs, executables, comparison
        case budgets, scenarios, noise, environment, warnings
        case startedAt = "started_at"
        case finishedAt = "finished_at"
    }

    package var wholePlan: Plan { planOfShards ?? plan }

    /// Returns the name of an executable that is another file now than it was; `nil` if there is none.
    ///
    /// One that was not found at one of the times says nothing: commands may build what they run.
    package func replacedExecutable(among now: [ProgramFile]) -> String? {
        now.first { file in executables?.contains { $0.name == file.name && $0 != file } == true }?.name
    }

    /// The maximum number of trials: pairs have two sides, a warm-up, and additional pairs of cases that seem changed.
    package var mostTrials: Int {
        if let blocks = sharding?.blocks { return plan.cases.count * blocks * 2 * (1 + plan.trials) }
        return switch kind {
        case .run, .check: plan.cases.count * plan.trials
        case .calibration: plan.cases.count * 2 * (1 + plan.trials)
        // About as many limits, and again for a new container.
        case .survival: plan.cases.count * 20 * plan.trials
        case .comparison: plan.cases.count * 2 * (1 + plan.trials + JudgementRule.interleaved.n2)
        }
    }

    /// The cases without completed trials, or with fewer than half of the planned ones.
    package var casesShortOfTrials: [Case] {
        let trials = trialsByCase
        return plan.cases.filter { cell in
            let completed = trials[cell]?.count(where: \.isCompleted) ?? 0
            return completed * 2 < plan.trials || completed == 0
        }
    }
}

package struct Comparison: Codable, Hashable, Sendable {
    package struct Candidate: Codable, Hashable, Sendable {
        package var name: String
        /// The program files, so that an interrupted comparison is only resumed with the same ones.
        package var programs: [ProgramFile]

        package init(name: String, programs: [ProgramFile]) {
            (self.name, self.programs) = (name, programs)
        }
    }

    package var base: Candidate
    package var head: Candidate

    package init(base: Candidate, head: Candidate) { (self.base, self.head) = (base, head) }
}

package struct RunWarning: Codable, Hashable, Sendable {
    package var text: String
    package var remedy: String?

    package init(_ text: String, remedy: String? = nil) {
        (self.text, self.remedy) = (text, remedy)
    }
}

/// The identity of a trial program: enough to detect a replacement without reading tens of megabytes.
package struct ProgramFile: Codable, Hashable, Sendable {
    package var name: String
    package var byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    package var modifiedNanoseconds: Int
    /// The SHA-256 of a program of shards, which are measured on machines that keep other times; otherwise `nil`.
    package var sha256: String?

    private enum CodingKeys: String, CodingKey {
        case name, sha256
        case byteCount = "bytes"
        case modifiedNanoseconds = "modified_ns"
    }

    /// Reads the properties of a file; a missing one has size 0.
    package init(at path: String) {
        name = PathText.name(of: path)
        var information = stat()
        let isThere = stat(path, &information) == 0
        byteCount = isThere ? Int(information.st_size) : 0
        modifiedNanoseconds =
            isThere ? information.st_mtim.tv_sec * 1_000_000_000 + information.st_mtim.tv_nsec : 0
    }

    /// Reads a file of shards by its content, without the time, which each machine has its own of.
    package init(hashing path: String) throws {
        self.init(at: path)
        modifiedNanoseconds = 0
        sha256 = try Self.sha256(at: path)
    }

    package static func sha256(at path: String) throws -> String {
        let window = try FileWindow(path: path, name: PathText.name(of: path))
        var hash = SHA256()
        while try window.more() {
            hash.update(UnsafeRawBufferPointer(window.bytes))
            window.advance(by: window.bytes.count)
        }
        return hash.hexadecimal()
    }

    /// The size, or `nil` if the file was missing: no program is empty.
    package var size: ByteCount? { byteCount > 0 ? ByteCount(byteCount) : nil }
}

/// The standard error of the change between two measurements of one build, in the unit of each metric.
///
/// `calibrate` measures it.
package struct NoiseFloors: Codable, Hashable, Sendable {
    package private(set) var values: [String: [String: Double]] = [:]

    package var metrics: Set<String> { Set(values.values.flatMap(\.keys)) }

    package init() {}

    package subscript(cell: String, metric: String) -> Double? {
        get { values[cell]?[metric] }
        set { values[cell, default: [:]][metric] = newValue }
    }
}

extension RunRecord {
    var mistake: DocumentMistake? {
        var fields = FieldChecks()
        fields.check(plan, "plan")
        fields.check(environment, "environment")
        if let sharding { fields.check(sharding, "sharding") }
        for (cell, floors) in noise?.values ?? [:] {
            for (metric, floor) in floors {
                fields.figure(floor, "noise.\(DocumentMistake.shown(cell)).\(DocumentMistake.shown(metric))")
            }
        }
        return fields.mistakes.first ?? FigureCheck.mistakes(in: scenarios ?? [], besides: []).first
    }
}

extension FieldChecks {
    private static let mostTrials = 10_000

    package mutating func check(_ plan: Plan, _ name: String) {
        let place = { name }
        number(plan.trials, "trials", place, to: Bound(Self.mostTrials))
        for setting in Setting.all { setting.check(plan.settings, &self, place) }
        size(plan.settings.request?.bodyByteCount, "settings.request.body_bytes", place, to: Bound(Limits.body))
        for index in plan.assets.indices where !isFull { check(plan.assets[index], { name + ".assets[\(index)]" }) }
        var cases: Set<String> = []
        for index in plan.cases.indices where !isFull {
            check(plan.cases[index].conditions, { name + ".cases[\(index)].conditions" })
            if !cases.insert(plan.cases[index].identifier).inserted {
                add("cases[\(index)]", "is there twice", in: place)
            }
        }
    }

    private mutating func check(_ asset: Asset, _ place: Place) {
        size(asset.byteCount, "bytes", place, to: Bound(Limits.body))
        number(asset.width, "width", place, to: Bound(1 << 31))
        number(asset.height, "height", place, to: Bound(1 << 31))
        for member in asset.members ?? [] where !isFull {
            size(member.byteCount, "members.bytes", place, to: Bound(Limits.body))
            number(member.width, "members.width", place, to: Bound(1 << 31))
            number(member.height, "members.height", place, to: Bound(1 << 31))
        }
    }

    package mutating func check(_ environment: MachineEnvironment, _ name: String) {
        let place = { name }
        number(environment.processorCount, "processors", place, from: 1, to: Bound(Limits.threads))
        size(environment.pageSize, "page_size_bytes", place, from: 1, to: Bound(1 << 30))
        size(environment.memory, "memory", place, to: Bound(Limits.memory))
        size(environment.peakErrorBound, "peak_error_bound_bytes", place, to: Bound(Limits.memory))
    }
}

extension RunRecord {
    package var metrics: MetricCatalog { MetricCatalog(scenarios ?? []) }
}

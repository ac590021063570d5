// SPDX-License-Identifier: Apache-2.0

/// A part of a plan, to be measured on a machine of its own: `3/8` is the third of eight.
package struct Shard: Codable, Hashable, Sendable, CustomStringConvertible {
    package static let most = 100_000

    package let number: Int
    package let count: Int

    package init(_ number: Int, of count: Int) {
        precondition((1...max(count, 1)).contains(number), "shards count from 1")
        (self.number, self.count) = (number, count)
    }

    package var description: String { "\(number)/\(count)" }

    /// Parses `3/8`, or finds the shard in the variables of an engine for `auto` and `auto/8`.
    package init(parsing text: String, environment: [String: String]) throws {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let count = parts.count == 2 ? Int(parts[1]) : nil
        if parts[0] == Self.automatic, parts.count == 1 || count != nil {
            self = try Self.found(
                in: environment, of: count.map { count in try Self.checked(count) })
            return
        }
        guard parts.count == 2, let number = Int(parts[0]), let count else {
            throw FetchBenchError(
                usage: "invalid --shard '\(text)': expected a number and the number of all shards, such as 3/8, or auto"
            )
        }
        let most = try Self.checked(count)
        guard (1...most).contains(number) else {
            throw FetchBenchError(usage: "invalid --shard '\(text)': expected 1/\(most) to \(most)/\(most)")
        }
        self.init(number, of: most)
    }

    private static let automatic = "auto"

    private static func checked(_ count: Int) throws -> Int {
        guard (1...most).contains(count) else {
            throw FetchBenchError(usage: "invalid number of shards '\(count)': expected 1 to \(most)")
        }
        return count
    }
}

// MARK: - Engines

extension Shard {
    /// The variables by which an engine tells a job its part.
    private enum Engine: CaseIterable {
        case kubernetes
        case slurm
        case continuousIntegration

        var index: String {
            switch self {
            case .kubernetes: "JOB_COMPLETION_INDEX"
            case .slurm: "SLURM_ARRAY_TASK_ID"
            case .continuousIntegration: "CI_NODE_INDEX"
            }
        }

        /// The variable with the number of all parts; Kubernetes has none.
        var total: String? {
            switch self {
            case .kubernetes: nil
            case .slurm: "SLURM_ARRAY_TASK_COUNT"
            case .continuousIntegration: "CI_NODE_TOTAL"
            }
        }

        var first: Int { self == .kubernetes ? 0 : 1 }
    }

    /// Finds the shard in the variables of the only engine that set them.
    private static func found(
        in environment: [String: String], of count: Int?
    ) throws -> Shard {
        let engines = Engine.allCases.filter { environment[$0.index] != nil }
        let names = Engine.allCases.map(\.index).joined(separator: ", ")
        guard let engine = engines.first else {
            throw FetchBenchError(
                usage: "--shard auto needs one of the variables \(names); outside of them, give --shard 1/8")
        }
        guard engines.count == 1 else {
            throw FetchBenchError(
                usage:
                    "--shard auto finds \(engines.map(\.index).joined(separator: " and ")): give the shard as --shard 1/8"
            )
        }
        let total = if let count { count } else { try total(of: engine, in: environment) }
        let index = try number(engine.index, in: environment)
        let (first, last) = (engine.first, engine.first + total - 1)
        guard (first...last).contains(index) else {
            throw FetchBenchError(
                usage: "invalid \(engine.index) '\(index)': expected \(first) to \(last) for \(total) shards")
        }
        return Shard(index - first + 1, of: total)
    }

    private static func total(of engine: Engine, in environment: [String: String]) throws -> Int {
        guard let name = engine.total else {
            throw FetchBenchError(
                usage: "\(engine.index) comes without the number of shards: give it as --shard auto/8")
        }
        let found = try checked(number(name, in: environment))
        // A part of an array that is submitted again has another number of tasks, and would be of another plan.
        if engine == .slurm {
            let range = ["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"].map { environment[$0] }
            guard range == ["1", "\(found)"] else {
                throw FetchBenchError(
                    usage:
                        "--shard auto needs a whole array that counts from 1 (--array=1-8); for some of its tasks, give the "
                        + "number of all as --shard auto/8")
            }
        }
        return found
    }

    private static func number(_ name: String, in environment: [String: String]) throws -> Int {
        let text = environment[name] ?? ""
        guard let number = Int(text) else {
            throw FetchBenchError(usage: "invalid \(name) '\(text)': expected a number")
        }
        return number
    }
}

// MARK: - The cases of a shard

extension Shard {
    /// Returns the number of the shard that measures each name.
    ///
    /// The trials of a case stay together, since those of different machines are never pooled. Thaler and Ravishankar,
    /// "Using name-based mappings to increase hit rates", IEEE/ACM Transactions on Networking 6(1), 1998 (rendezvous
    /// hashing), with at most as many names on a shard as an even share, since the slowest shard decides. Each name takes
    /// the first shard of its own order that has room, so that few move when a name or a shard is added.
    /// - Parameter group: Returns what a name is a part of; the parts are on as many shards as possible.
    static func assignments(
        of names: [String], count: Int, apart group: (String) -> String? = { _ in nil }
    ) -> [String: Int] {
        let room = (names.count + count - 1) / max(count, 1)
        var taken = [Int](repeating: 0, count: count)
        var assignments: [String: Int] = [:]
        var shardsOfGroups: [String: Set<Int>] = [:]
        let hashes = names.map { (name: $0, hash: hash($0)) }
        // In the order of their hashes, so that the order of the plan does not matter.
        for (name, hash) in hashes.sorted(by: { ($0.hash, $0.name) < ($1.hash, $1.name) }) {
            let group = group(name)
            let avoided = group.flatMap { shardsOfGroups[$0] } ?? []
            let free = (0..<count).filter { taken[$0] < room }
            let best = first(of: free.filter { !avoided.contains($0) }, for: hash) ?? first(of: free, for: hash)
            guard let best else { preconditionFailure("the shards have room for all names") }
            taken[best] += 1
            if let group { shardsOfGroups[group, default: []].insert(best) }
            assignments[name] = best + 1
        }
        return assignments
    }

    private static func first(of shards: [Int], for hash: UInt64) -> Int? {
        shards.max { mixed(hash ^ mixed(UInt64($0))) < mixed(hash ^ mixed(UInt64($1))) }
    }

    /// FNV-1a, which is the same on every machine: Fowler, Noll and Vo, RFC 9923.
    private static func hash(_ name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var generator = SeededGenerator(seed: value)
        return generator.next()
    }
}

extension Plan {
    package func cases(of shard: Shard) -> [Case] {
        let assignments = Shard.assignments(of: cases.map(\.identifier), count: shard.count)
        return cases.filter { assignments[$0.identifier] == shard.number }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Hashing

/// The place of a run among the parts of a plan that several machines measure.
package struct Sharding: Codable, Hashable, Sendable {
    package var count: Int
    package var number: Int?
    /// The hash of the plan of all shards, which is stored beside the head: ``RunRecord/planOfShards``.
    package var planHash: String
    /// The number of blocks of pairs that each case of a comparison has; `nil` in runs.
    package var blocks: Int?
    /// The SHA-256 of the measuring program: shards of different builds are not merged.
    package var build: String
    /// The hosts that trials ran on, by identifier; one as a rule, several after a resume elsewhere.
    package var hosts: [ShardHost]
    package var endedAt: String?

    private enum CodingKeys: String, CodingKey {
        case count, number, blocks, build, hosts
        case planHash = "plan_hash"
        case endedAt = "ended_at"
    }

    package init(_ shard: Shard, planHash: String, blocks: Int? = nil, build: String, on host: ShardHost) {
        (count, number, self.planHash, self.blocks) = (shard.count, shard.number, planHash, blocks)
        (self.build, hosts) = (build, [host])
    }

    /// The shard that the run measures; `nil` if it was merged from several.
    package var shard: Shard? { number.map { Shard($0, of: count) } }

    package mutating func add(_ host: ShardHost) {
        guard !hosts.contains(where: { $0.identifier == host.identifier }) else { return }
        hosts = (hosts + [host]).sorted { $0.identifier < $1.identifier }
    }
}

extension Plan {
    /// The SHA-256 of the plan as JSON, in lower-case hexadecimal: the same on every machine.
    package func hash() throws -> String {
        SHA256.hexadecimal(of: Array(try RunCoding.compactText(of: self).utf8))
    }
}

extension FieldChecks {
    mutating func check(_ sharding: Sharding, _ name: String) {
        let place = { name }
        number(sharding.count, "count", place, from: 1, to: Bound(Shard.most))
        if let number = sharding.number { self.number(number, "number", place, from: 1, to: Bound(sharding.count)) }
        number(sharding.blocks, "blocks", place, from: 1, to: 1000)
        var known: Set<String> = []
        for (index, host) in sharding.hosts.enumerated() where !isFull {
            if !ShardHost.isIdentifier(host.identifier) {
                add("hosts[\(index)].identifier", "is not of 12 hexadecimal digits", in: place)
            } else if !known.insert(host.identifier).inserted {
                add("hosts[\(index)]", "is there twice", in: place)
            }
            check(host.environment, name + ".hosts[\(index)].environment")
        }
    }
}

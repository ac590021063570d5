// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Runs

extension FuzzTarget {
    /// Files that machines exchange: plans, and the shards that `merge` reads.
    static let shards = [
        FuzzTarget(name: "plan", summary: "plan.json") { bytes, _ in
            try FuzzContext.store(bytes, as: .plan)
            let path = FuzzContext.storage.path(of: .plan)
            let file = try PlanFile.load(path)
            try FuzzContext.store(Array(try file.text().utf8), as: .plan)
            try promise(try PlanFile.load(path) == file, "a plan is another one when it is read again")
        },
        FuzzTarget(name: "shard", summary: "run.json of a shard") { bytes, _ in
            try MergedShards.merge(head: bytes, trials: Array(FuzzContext.folder.seed("shard-trials/small.jsonl")))
        },
        FuzzTarget(name: "shard-trials", summary: "trials.jsonl of a shard") { bytes, _ in
            try MergedShards.merge(head: Array(FuzzContext.folder.seed("shard/small.json")), trials: bytes)
        },
    ]
}

private enum MergedShards {
    static func merge(head: [UInt8], trials: [UInt8]) throws {
        try FuzzContext.store(head, as: .run)
        try FuzzContext.store(Array(FuzzContext.folder.seed("plan/small.json")), as: .plan)
        try FuzzContext.store(trials, as: .log)
        let parent = FuzzContext.storage.path + "/merging"
        defer { try? FileManager.default.removeItem(atPath: parent) }
        let once = try merged([FuzzContext.storage], as: "once", in: parent)
        let lines = Set(trials.split(separator: UInt8(ascii: "\n")))
        let log = Array(try once.data(of: .log))
        try promise(log.split(separator: UInt8(ascii: "\n")).allSatisfy(lines.contains), "a trial is not of the shard")
        let twice = try merged([once, FuzzContext.storage], as: "twice", in: parent)
        try promise(Array(try twice.data(of: .log)) == log, "merged again, it has other trials")
    }

    private static func merged(_ folders: [RunFolder], as name: String, in parent: String) throws -> RunFolder {
        var merge = try ShardMerge(of: folders, at: "2100-01-01T00:00:00Z")
        let output = try RunFolder.create(new: name, in: parent)
        try merge.write(to: output)
        return output
    }
}

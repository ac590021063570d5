// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Feeds a target with mutated inputs, in children that may trap, and keeps the inputs that make them.
struct Hunt {
    /// After so many inputs a child is replaced: what one of them leaves behind does not reach all that follow.
    private static let batch = 50_000
    /// How many children may be spent on making one finding smaller.
    private static let shrinkingLimit = 400

    let target: FuzzTarget
    let folder: FuzzFolder
    let seed: UInt64
    /// Where findings are stored, or `nil` where they are only told.
    let corpus: String?

    /// What came of it.
    struct Outcome {
        var inputs = 0
        var accepted = 0
        var seconds = 0.0
        /// The files of the findings, or the numbers of the inputs where nothing is stored.
        var findings: [String] = []
    }

    /// Runs so many inputs, until there are so many findings or the time is over.
    func run(count: Int, findings most: Int, seconds limit: Double) throws(FuzzFailure) -> Outcome {
        let temporary = try TemporaryDirectory()
        let progress = try Progress()
        var outcome = Outcome()
        let start = WatchedChild.now(CLOCK_MONOTONIC)
        while outcome.inputs < count, outcome.findings.count < most, outcome.seconds < limit {
            let first = outcome.inputs
            progress.number = first
            progress.accepted = 0
            let size = min(Self.batch, count - first, limit.isFinite ? 5000 : .max)
            let ending = try WatchedChild.run(
                ["batch", target.name, "\(seed)", "\(first)", "\(size)", "--folder", folder.path], progress: progress,
                temporaryFolder: temporary.path, isQuiet: true)
            outcome.accepted += progress.accepted
            if ending == .done {
                outcome.inputs += size
            } else {
                outcome.inputs = progress.number + 1
                outcome.findings.append(try kept(progress.number, ending, temporary.path))
            }
            outcome.seconds = WatchedChild.now(CLOCK_MONOTONIC) - start
        }
        return outcome
    }

    /// Makes the input of a finding as small as it gets, and stores it.
    private func kept(_ number: Int, _ ending: ChildEnding, _ temporary: String) throws(FuzzFailure) -> String {
        var input = try folder.mutator(of: target).input(number, seed: seed)
        let tried = temporary + "/input"
        guard let corpus else { return "input \(number) (\(ending.word))" }
        var children = 0
        var size = input.count / 2
        while size > 0, children < Self.shrinkingLimit {
            var start = 0
            while start < input.count, children < Self.shrinkingLimit {
                var shorter = input
                shorter.removeSubrange(start..<min(start + size, input.count))
                children += 1
                if try self.ending(of: shorter, at: tried, temporary) == ending {
                    input = shorter
                } else {
                    start += size
                }
            }
            size /= 2
        }
        let name = "\(ending.word)-\(Self.digest(of: input))"
        let place = corpus + "/" + target.name
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try Data(input).write(to: URL(fileURLWithPath: place + "/" + name))
        } catch {
            throw FuzzFailure("\(place)/\(name) cannot be written: \(error)")
        }
        return place + "/" + name
    }

    private func ending(of input: [UInt8], at path: String, _ temporary: String) throws(FuzzFailure) -> ChildEnding {
        do {
            try Data(input).write(to: URL(fileURLWithPath: path))
        } catch {
            throw FuzzFailure("\(path) cannot be written: \(error)")
        }
        return try WatchedChild.run(
            ["one", target.name, path, "--folder", folder.path], progress: Progress(), temporaryFolder: temporary,
            isQuiet: true)
    }

    /// FNV-1a: a name for an input, no more.
    private static func digest(of bytes: [UInt8]) -> String {
        String(bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    }
}

/// A folder that is gone when it is not used any more; in memory, because millions of documents go through it.
struct TemporaryDirectory: ~Copyable {
    let path: String

    init() throws(FuzzFailure) {
        var template = Array(
            "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/fetchbench-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FuzzFailure("no temporary folder can be made") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

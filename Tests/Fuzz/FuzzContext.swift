// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Measuring
import Runs
import Synchronization
import TrialKit

/// What the targets of one process share: real documents that mutated ones are put beside.
enum FuzzContext {
    /// Where the documents are; set once, before anything is read.
    nonisolated(unsafe) static var folder = FuzzFolder(path: "Tests/Fuzz")
    /// What libFuzzer calls.
    static let covered = Mutex<(target: FuzzTarget, mutator: Mutator)?>(nil)

    /// A finished run of a few cases.
    static let run: Result<RunRecord, any Error> = Result {
        var run = try JSONDecoder().decode(RunRecord.self, from: Data(runText.get()))
        run.trials = try trialsText.get().split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Trial.self, from: Data($0))
        }
        return run
    }

    /// Its head as text.
    static let runText: Result<[UInt8], any Error> = Result { Array(try folder.seed("run/small.json")) }

    /// Its trials as text.
    static let trialsText: Result<[UInt8], any Error> = Result { Array(try folder.seed("trials/small.jsonl")) }

    /// Its head while it went on.
    static let unfinishedText: Result<[UInt8], any Error> = Result {
        var unfinished = try run.get()
        unfinished.finishedAt = nil
        return Array(try RunCoding.readableText(of: unfinished).utf8)
    }

    /// A program that can be asked for whatever a suite names.
    static let programs: Result<TrialPrograms, any Error> = Result {
        let descriptions = try ["urlsession", "raw"].map { name in
            try JSONDecoder().decode(ProgramDescription.self, from: folder.seed("description/\(name).json"))
        }
        return TrialPrograms(
            executables: descriptions.map { TrialExecutable(path: "/nowhere/trial", description: $0) })
    }

    /// The folder of a run, of which targets write one file again and again.
    static let storage = RunFolder(
        existing: {
            let path = NSTemporaryDirectory() + "/fetchbench-fuzz-\(getpid())"
            mkdir(path, 0o755)
            return path
        }())

    /// Removes that folder, where nothing else does.
    static func removeStorage() {
        try? FileManager.default.removeItem(atPath: storage.path)
    }

    /// Stores a file of that folder.
    static func store(_ bytes: [UInt8], as file: RunFolder.File) throws {
        try store(bytes, at: storage.path(of: file))
    }

    /// Stores a file.
    static func store(_ bytes: [UInt8], at path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        defer { close(descriptor) }
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw BrokenPromise("\(path) cannot be written")
        }
    }
}

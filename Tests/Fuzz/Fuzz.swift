// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import Measuring
import Runs
import Synchronization
import Texts
import TrialKit

/// The command: `make fuzz` runs it on every target.
@main
struct Fuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetchbench-fuzz", abstract: "Feeds mutated documents to everything that reads what others wrote.",
        subcommands: [Run.self, List.self, One.self, BatchCommand.self, CoverageCommand.self])
}

/// The folder, and the target.
struct TargetOptions: ParsableArguments {
    @Argument(
        help: "What reads the inputs; `list` names them.",
        transform: { name in
            guard let target = FuzzTarget.named(name) else { throw ValidationError("unknown target '\(name)'") }
            return target
        })
    var target: FuzzTarget

    @Option(help: "The folder with Seeds and Corpus.")
    var folder = "Tests/Fuzz"

    /// The folder, known to the targets from here on.
    var fuzzFolder: FuzzFolder { FuzzFolder(path: folder) }
}

extension Fuzz {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Name the targets.")

        func run() {
            for target in FuzzTarget.all { print(target.name) }
        }
    }

    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read mutated inputs; store those that trap, hang, take too much memory or break a promise.")

        @OptionGroup var options: TargetOptions
        @Option(help: "How many inputs.") var count = 10_000
        @Option(help: "The inputs follow from it and from the seeds.") var seed: UInt64 = 1
        @Option(help: "After how many findings to stop.") var findings = 3
        @Option(help: "After how many seconds to stop.") var seconds = Double.infinity
        @Flag(inversion: .prefixedNo, help: "Whether findings are made small and stored in the folder's Corpus.")
        var store = true

        func run() throws {
            let hunt = Hunt(
                target: options.target, folder: options.fuzzFolder, seed: seed,
                corpus: store ? options.folder + "/Corpus" : nil)
            let outcome = try hunt.run(count: count, findings: findings, seconds: seconds)
            let rate = Int(Double(outcome.inputs) / max(outcome.seconds, 0.001))
            print(
                "\(options.target.name): \(outcome.inputs) inputs in \(Int(outcome.seconds.rounded(.up))) s "
                    + "(\(rate) a second), \(outcome.accepted) of them accepted, \(outcome.findings.count) findings")
            for finding in outcome.findings { print("  \(finding)") }
            if !outcome.findings.isEmpty { throw ExitCode(1) }
        }
    }

    struct One: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "one", abstract: "Read one file, draw it in every format, and say whether it was accepted.")

        @OptionGroup var options: TargetOptions
        @Argument(help: "The file.") var file: String

        func run() throws {
            guard let data = FileManager.default.contents(atPath: file) else {
                throw ValidationError("\(file) cannot be read")
            }
            FuzzContext.folder = options.fuzzFolder
            Batch.limitMemory()
            defer { FuzzContext.removeStorage() }
            try Fuzz.failing { () throws(BrokenPromise) in
                let refusal = try Batch.refusal(of: Array(data), by: options.target, draws: true)
                print(refusal.map { "refused: \(SafeText.forTerminal("\($0)"))" } ?? "accepted")
            }
        }
    }

    struct BatchCommand: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "batch", shouldDisplay: false)

        @OptionGroup var options: TargetOptions
        @Argument var seed: UInt64
        @Argument var first: Int
        @Argument var count: Int

        func run() throws {
            FuzzContext.folder = options.fuzzFolder
            let mutator = try options.fuzzFolder.mutator(of: options.target)
            Batch.limitMemory()
            try Fuzz.failing { try Batch.run(options.target, mutator, seed: seed, numbers: first..<first + count) }
        }
    }

    /// Ends with the status of a broken promise where one is.
    private static func failing(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let broken as BrokenPromise {
            FileHandle.standardError.write(Data("broken promise: \(broken)\n".utf8))
            throw ExitCode(WatchedChild.brokenStatus)
        }
    }
}

/// The context shared by the targets of a process: real documents to place mutated ones beside.
enum FuzzContext {
    /// Where the documents are; set once, before anything is read.
    nonisolated(unsafe) static var folder = FuzzFolder(path: "Tests/Fuzz")
    /// The target and the mutator of the functions that libFuzzer calls.
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

/// The folder of the fuzzer: real documents in `Seeds`, what was found in `Corpus`, by target.
struct FuzzFolder {
    let path: String

    /// The documents that inputs are made of; findings are among them, because faults are near faults.
    func mutator(of target: FuzzTarget) throws(FuzzFailure) -> Mutator {
        let seeds = files(in: "Seeds/" + target.name)
        guard !seeds.isEmpty else {
            throw FuzzFailure("\(path)/Seeds/\(target.name) has no document: run in the repository, or give --folder")
        }
        return Mutator(
            seeds: (seeds + files(in: "Corpus/" + target.name)).compactMap { FileManager.default.contents(atPath: $0) }
                .map(Array.init), isBinary: target.isBinary)
    }

    /// One document.
    func seed(_ name: String) throws(FuzzFailure) -> Data {
        guard let data = FileManager.default.contents(atPath: path + "/Seeds/" + name) else {
            throw FuzzFailure("\(path)/Seeds/\(name) cannot be read: run in the repository, or give --folder")
        }
        return data
    }

    /// The files of a folder, in the order of their names.
    private func files(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []).sorted()
            .filter { !$0.hasPrefix(".") }.map { path + "/" + folder + "/" + $0 }
    }
}

/// Code that reads bytes which others wrote, and what has to hold of it whatever they are.
struct FuzzTarget: Sendable {
    /// The word on the command line, and the name of its folders of seeds and findings.
    let name: String
    /// The texts that are mutated, for lists.
    let summary: String
    /// Whether its documents are words of 64 bits, not text.
    var isBinary = false
    /// After how many inputs one is drawn in every format, too, which takes milliseconds.
    var drawingInterval = 64
    /// Reads the bytes, and throws what it likes where it refuses them; it never traps, hangs or throws ``BrokenPromise``.
    let read: @Sendable (_ bytes: [UInt8], _ draws: Bool) throws -> Void

    /// All targets, in the order of lists.
    static let all: [FuzzTarget] =
        [reports, descriptions, costs] + storedRuns + shards + storedConclusions + [suites, budgets, words, headers]
        + [processFiles, recordings, answers, requests]

    /// The target of a name, or `nil`.
    static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}

/// Something that was read without an error and is not what it should be.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws where a promise is broken.
func promise(_ holds: Bool, _ description: @autoclosure () -> String) throws(BrokenPromise) {
    guard holds else { throw BrokenPromise(description()) }
}

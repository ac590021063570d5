// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import Measuring
import Runs
import Synchronization

/// The command: `make fuzz` runs it on every target.
@main
struct Fuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetchbench-fuzz", abstract: "Feeds documents to everything that reads what others wrote.",
        subcommands: [List.self, Read.self, Search.self])
}

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
}

extension Fuzz {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Name the targets.")

        func run() { for target in FuzzTarget.all { print(target.name) } }
    }

    struct Read: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read files, draw them in every format, and say of each whether it was accepted.")

        @OptionGroup var options: TargetOptions
        @Argument(help: "The files.") var files: [String]

        func run() throws {
            FuzzContext.folder = FuzzFolder(path: options.folder)
            limitMemory()
            defer { FuzzContext.removeStorage() }
            for file in files {
                guard let data = FileManager.default.contents(atPath: file) else {
                    throw ValidationError("\(file) cannot be read")
                }
                // Before it is read: what traps is named by the last line.
                print("\(file): ", terminator: "")
                fflush(nil)
                let refusal = try options.target.refusal(of: Array(data), draws: true)
                print(refusal.map { "refused: \(SafeText.forTerminal("\($0)"))" } ?? "accepted")
            }
        }
    }

    private static func limitMemory() {
        // Writable private memory alone: of address space a thread takes much more than it uses.
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmData:") }
        let now = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { UInt($0) } ?? 0
        let limit = (now << 10) + 512 << 20
        var limits = rlimit(rlim_cur: limit, rlim_max: limit)
        setrlimit(__rlimit_resource_t(2), &limits)
    }
}

/// The context shared by the targets of a process: real documents to place mutated ones beside.
enum FuzzContext {
    /// Where the documents are; set once, before anything is read.
    nonisolated(unsafe) static var folder = FuzzFolder(path: "Tests/Fuzz")
    /// The target of the function that libFuzzer calls, and how many inputs it was given.
    static let searched = Mutex<(target: FuzzTarget, count: Int)?>(nil)

    static let run: Result<RunRecord, any Error> = Result {
        var run = try JSONDecoder().decode(RunRecord.self, from: Data(runText.get()))
        run.trials = try trialsText.get().split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Trial.self, from: Data($0))
        }
        return run
    }

    static let runText: Result<[UInt8], any Error> = Result { Array(try folder.seed("run/small.json")) }

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

    static let storage = RunFolder(
        existing: {
            let path = NSTemporaryDirectory() + "/fetchbench-fuzz-\(getpid())"
            mkdir(path, 0o755)
            return path
        }())

    static func removeStorage() {
        try? FileManager.default.removeItem(atPath: storage.path)
    }

    static func store(_ bytes: [UInt8], as file: RunFolder.File) throws {
        try store(bytes, at: storage.path(of: file))
    }

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

    func seed(_ name: String) throws -> Data {
        guard let data = FileManager.default.contents(atPath: path + "/Seeds/" + name) else {
            throw ValidationError("\(path)/Seeds/\(name) cannot be read: run in the repository, or give --folder")
        }
        return data
    }
}

/// Code that reads bytes which others wrote, and what has to hold of it whatever they are.
struct FuzzTarget: Sendable {
    /// The word on the command line, and the name of its folders of seeds and findings.
    let name: String
    let summary: String
    /// After how many inputs one is drawn in every format, too, which takes milliseconds.
    var drawingInterval = 64
    /// Reads the bytes, and throws what it likes where it refuses them; it never traps, hangs or throws ``BrokenPromise``.
    let read: @Sendable (_ bytes: [UInt8], _ draws: Bool) throws -> Void

    static let all: [FuzzTarget] =
        [reports, descriptions, costs] + storedRuns + shards + storedConclusions + [suites, budgets, words, headers]
        + [processFiles, recordings, answers, requests]

    func refusal(of input: [UInt8], draws: Bool) throws(BrokenPromise) -> (any Error)? {
        do {
            try read(input, draws)
            return nil
        } catch let broken as BrokenPromise {
            throw broken
        } catch {
            return error
        }
    }

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Something that was read without an error and is not what it should be.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

func promise(_ holds: Bool, _ description: @autoclosure () -> String) throws(BrokenPromise) {
    guard holds else { throw BrokenPromise(description()) }
}

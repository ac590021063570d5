// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import Texts

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

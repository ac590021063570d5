// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import Statistics
import Synchronization

extension Fuzz {
    /// The same inputs, chosen by what code they reach: only in a build with libFuzzer (`make fuzz COVERAGE=1`).
    struct CoverageCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "coverage", abstract: "Let libFuzzer choose the inputs, in a build that has it.")

        @OptionGroup var options: TargetOptions
        @Argument(parsing: .postTerminator, help: "Arguments of libFuzzer, such as -max_total_time=60.")
        var rest: [String] = []

        private typealias Body = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
        private typealias Driver =
            @convention(c) (
                UnsafeMutablePointer<Int32>, UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
                Body
            ) -> Int32

        func run() throws {
            // Looked for by its name: an ordinary build has none.
            guard let symbol = dlsym(nil, "LLVMFuzzerRunDriver") else {
                throw ValidationError("this build has no libFuzzer; `make fuzz COVERAGE=1` makes one that has")
            }
            let mutator = try options.fuzzFolder.mutator(of: options.target)
            FuzzContext.folder = options.fuzzFolder
            FuzzContext.covered.withLock { $0 = (options.target, mutator) }
            // Inputs that reach new code are kept in the first folder between runs.
            let kept = ".build/coverage/corpus/" + options.target.name
            let findings = "\(options.folder)/Corpus/\(options.target.name)"
            for folder in [kept, findings] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            let words =
                ["fetchbench-fuzz", "-rss_limit_mb=1024", "-timeout=5", "-artifact_prefix=\(findings)/"] + rest
                + [kept, "\(options.folder)/Seeds/\(options.target.name)", findings]
            var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = .allocate(capacity: words.count + 1)
            for (index, word) in words.enumerated() { argv?[index] = strdup(word) }
            argv?[words.count] = nil
            var argc = Int32(words.count)
            throw ExitCode(unsafeBitCast(symbol, to: Driver.self)(&argc, &argv, Self.body))
        }

        private static let body: Body = { bytes, count in
            guard let target = FuzzContext.covered.withLock({ $0?.target }) else { return -1 }
            let input = Array(UnsafeBufferPointer(start: bytes, count: count))
            do {
                _ = try Batch.refusal(of: input, by: target, draws: false)
            } catch {
                abort()
            }
            return 0
        }
    }
}

/// The custom mutator for documents that libFuzzer calls.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: UInt32) -> Int {
    guard let mutator = FuzzContext.covered.withLock({ $0?.mutator }) else { return count }
    var generator = SeededGenerator(seed: UInt64(seed))
    let input = mutator.mutated(Array(UnsafeBufferPointer(start: bytes, count: count)), &generator).prefix(capacity)
    for (index, byte) in input.enumerated() { bytes[index] = byte }
    return input.count
}

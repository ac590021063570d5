// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import Synchronization

extension Fuzz {
    /// libFuzzer chooses the inputs by the code that they reach: only in a build that has it (`make fuzz`).
    struct Search: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let libFuzzer choose inputs, in a build that has it, and store those that trap.")

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
                throw ValidationError("this build has no libFuzzer; `make fuzz` makes one that has")
            }
            FuzzContext.folder = FuzzFolder(path: options.folder)
            FuzzContext.searched.withLock { $0 = (options.target, 0) }
            defer { FuzzContext.removeStorage() }
            // Inputs that reach new code are kept in the first folder between runs.
            let kept = ".build/fuzz/corpus/" + options.target.name
            let findings = "\(options.folder)/Corpus/\(options.target.name)"
            for folder in [kept, findings] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            var words = ["fetchbench-fuzz", "-rss_limit_mb=1024", "-timeout=5", "-artifact_prefix=\(findings)/"]
            words += ["-dict=\(options.folder)/numbers.dict"] + rest
            words += [kept, "\(options.folder)/Seeds/\(options.target.name)", findings]
            var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = .allocate(capacity: words.count + 1)
            for (index, word) in words.enumerated() { argv?[index] = strdup(word) }
            argv?[words.count] = nil
            // libFuzzer stores the input of a trap only where nobody else, such as Swift's backtracer, handles its signal.
            for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE] { signal(number, SIG_DFL) }
            var argc = Int32(words.count)
            throw ExitCode(unsafeBitCast(symbol, to: Driver.self)(&argc, &argv, Self.body))
        }

        private static let body: Body = { bytes, count in
            let searched = FuzzContext.searched.withLock { searched in
                searched?.count += 1
                return searched
            }
            guard let (target, number) = searched else { return -1 }
            do {
                _ = try target.refusal(
                    of: Array(UnsafeBufferPointer(start: bytes, count: count)),
                    draws: number.isMultiple(of: target.drawingInterval))
            } catch {
                FileHandle.standardError.write(Data("broken promise: \(error)\n".utf8))
                abort()
            }
            return 0
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// What a child does: reads inputs one after another, and ends in the middle of one that should not have been accepted.
enum Batch {
    /// How much more memory than at its start a child may have.
    private static let memoryLimit: UInt = 512 << 20

    /// Limits the memory of this process, so that an input that makes it grow ends it.
    static func limitMemory() {
        // Writable private memory alone: of address space a thread takes much more than it uses.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(2), &limit)
        limit.rlim_cur = dataBytes() + memoryLimit
        setrlimit(__rlimit_resource_t(2), &limit)
        limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(4), &limit)
    }

    private static func dataBytes() -> UInt {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmData:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { UInt($0) } ?? 0) << 10
    }

    /// Reads the inputs of some numbers.
    static func run(_ target: FuzzTarget, _ mutator: Mutator, seed: UInt64, numbers: Range<Int>) throws {
        let progress = try Progress(ofParent: ())
        for number in numbers {
            progress.number = number
            let input = mutator.input(number, seed: seed)
            let refusal = try refusal(of: input, by: target, draws: number % target.drawingInterval == 0)
            if refusal == nil { progress.accepted += 1 }
        }
    }

    /// The error that an input is refused with, or `nil` where it is read.
    static func refusal(of input: [UInt8], by target: FuzzTarget, draws: Bool) throws(BrokenPromise) -> (any Error)? {
        do {
            try target.read(input, draws)
            return nil
        } catch let broken as BrokenPromise {
            throw broken
        } catch {
            return error
        }
    }
}

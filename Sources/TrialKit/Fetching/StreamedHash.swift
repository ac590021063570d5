// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing

/// Hashes a body as it arrives, and counts the CPU time of hashing separately.
public struct StreamedHash: Sendable {
    private var hasher: SHA256?
    /// The CPU time of hashing so far, in nanoseconds.
    public private(set) var cpuNanoseconds = 0

    /// Starts a hash, unless only the length is verified.
    public init(_ verification: Verification) {
        hasher = verification == .sha256 ? SHA256() : nil
    }

    /// Takes the next bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard hasher != nil else { return }
        let start = Self.threadCPU()
        hasher?.update(bytes)
        cpuNanoseconds += Self.threadCPU() - start
    }

    /// Returns the hash in hexadecimal; `nil` if only the length is verified.
    public func finish() -> String? {
        hasher?.hexadecimal()
    }

    private static func threadCPU() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

// SPDX-License-Identifier: Apache-2.0

import Hashing
import MemProbe

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
        let start = MonotonicClock.threadCPU()
        hasher?.update(bytes)
        cpuNanoseconds += MonotonicClock.threadCPU() - start
    }

    /// Returns the hash in hexadecimal; `nil` if only the length is verified.
    public func finish() -> String? {
        hasher?.hexadecimal()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe

/// What a report can say at most of the machine that it was made on.
package struct MachineLimits: Hashable, Sendable {
    /// What two readings of the same memory may differ by beside the kernel's own batching: what a process does meanwhile.
    static let slack = ByteCount.mebibytes(1)

    /// Its memory, the swap space included.
    package var memory: ByteCount
    /// How many processors may work for a process at the same time.
    package var processors: Int
    /// How far the kernel's counters may be off: ``PeakErrorBound``.
    package var errorBound: ByteCount

    /// Creates limits.
    package init(memory: ByteCount, processors: Int, errorBound: ByteCount) {
        self.memory = memory
        self.processors = processors
        self.errorBound = errorBound
    }

    /// Those of the machine that this process runs on.
    package static let current = MachineLimits(
        memory: memory(in: TextFile.contents(of: "/proc/meminfo") ?? "") ?? Limits.memory,
        processors: max(1, sysconf(CInt(_SC_NPROCESSORS_CONF))), errorBound: PeakErrorBound.current)

    /// Those of a machine that is not known: what no machine exceeds.
    package static let any = MachineLimits(memory: Limits.memory, processors: 1 << 16, errorBound: Limits.memory)

    /// The memory as the end of a refusal.
    var memoryBound: FieldChecks.Bound {
        memory == Limits.memory
            ? FieldChecks.Bound(memory, "more than any machine has") : FieldChecks.Bound(memory, "the machine's memory")
    }

    /// By how much two readings of the same memory at almost the same instant may differ.
    var tolerance: ByteCount { errorBound + Self.slack }

    /// Memory and swap space of `/proc/meminfo` together; `nil` where it does not say how much memory there is.
    private static func memory(in text: String) -> ByteCount? {
        func size(_ name: String) -> Int? {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        }
        guard let memory = size("MemTotal"), (1...Limits.memory.rawValue / 1024).contains(memory) else { return nil }
        let swap = min(max(0, size("SwapTotal") ?? 0), Limits.memory.rawValue / 1024)
        return min(ByteCount(procKilobytes: memory + swap), Limits.memory)
    }
}

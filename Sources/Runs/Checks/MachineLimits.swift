// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe

/// The maximum values in a report from a machine.
package struct MachineLimits: Hashable, Sendable {
    /// The difference of two readings of the same memory due to activity in between, besides the kernel's own batching.
    static let slack = ByteCount.mebibytes(1)

    /// The memory including swap space.
    package var memory: ByteCount
    /// The number of processors that a process can use at once.
    package var processors: Int
    /// The maximum error of the kernel's counters: ``PeakErrorBound``.
    package var errorBound: ByteCount

    package init(memory: ByteCount, processors: Int, errorBound: ByteCount) {
        self.memory = memory
        self.processors = processors
        self.errorBound = errorBound
    }

    /// The limits of this machine.
    package static let current = MachineLimits(
        memory: memory(in: TextFile.contents(of: "/proc/meminfo") ?? "") ?? Limits.memory,
        processors: max(1, sysconf(CInt(_SC_NPROCESSORS_CONF))), errorBound: PeakErrorBound.current)

    /// The limits of an unknown machine, which no machine exceeds.
    package static let any = MachineLimits(memory: Limits.memory, processors: 1 << 16, errorBound: Limits.memory)

    /// The bound of memory with its name in messages.
    var memoryBound: FieldChecks.Bound {
        memory == Limits.memory
            ? FieldChecks.Bound(memory, "more than any machine has") : FieldChecks.Bound(memory, "the machine's memory")
    }

    /// The maximum difference of two readings of the same memory at almost the same instant.
    var tolerance: ByteCount { errorBound + Self.slack }

    /// Returns the sum of memory and swap space in `/proc/meminfo`, or `nil` without a total of memory.
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

// SPDX-License-Identifier: Apache-2.0

package import MemProbe

package struct ProcessGroup: Hashable, Sendable {
    /// The name of the program as reported by the kernel.
    package var name: String
    package var count: Int
    /// The highest peak of a single process.
    package var peak: ByteCount

    /// Returns the processes of a run by name, the largest first.
    package static func all(in trace: CommandTrace) -> [ProcessGroup] {
        let listed = trace.processes.map { ProcessGroup(name: $0.name, count: 1, peak: $0.peak.resident) }
        let others = trace.others.map { ProcessGroup(name: $0.name, count: $0.count, peak: $0.largestPeak) }
        let found = Dictionary(grouping: listed + others, by: \.name).map { name, groups in
            ProcessGroup(
                name: name, count: groups.reduce(0) { $0 + $1.count }, peak: groups.map(\.peak).max() ?? .zero)
        }
        return found.sorted { ($1.peak, $0.name) < ($0.peak, $1.name) }
    }
}

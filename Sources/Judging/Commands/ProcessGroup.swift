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
        var found: [String: ProcessGroup] = [:]
        let listed = trace.processes.map { ProcessGroup(name: $0.name, count: 1, peak: $0.peak.resident) }
        let others = trace.others.map { ProcessGroup(name: $0.name, count: $0.count, peak: $0.largestPeak) }
        for group in listed + others {
            let before = found[group.name] ?? ProcessGroup(name: group.name, count: 0, peak: .zero)
            found[group.name] = ProcessGroup(
                name: group.name, count: before.count + group.count, peak: max(before.peak, group.peak))
        }
        return found.values.sorted { ($1.peak, $0.name) < ($0.peak, $1.name) }
    }
}

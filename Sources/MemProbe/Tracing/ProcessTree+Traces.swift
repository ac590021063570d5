// SPDX-License-Identifier: Apache-2.0

extension ProcessTree {
    /// What is reported: the command itself, and each process of which memory of its own was read.
    ///
    /// A parent that is not among them is passed over.
    package func traces(end: Int) -> [ProcessTrace] {
        var orders: [Int: Int] = [:]
        var traces: [ProcessTrace] = []
        for (index, process) in processes.enumerated() where index == 0 || process.wasRead {
            var parent = process.parent
            while let candidate = parent, orders[candidate] == nil { parent = processes[candidate].parent }
            orders[index] = traces.count + 1
            let parentOrder = parent.flatMap { orders[$0] }
            traces.append(process.trace(order: traces.count + 1, parentOrder: parentOrder, bound: bound, end: end))
        }
        return traces
    }

    /// The most that those processes held of which it was never told whose memory they used, or `nil` where that is
    /// less than a mark may be wrong by: it is in no other figure.
    package var undecided: ByteCount? {
        let sum = processes.reduce(ByteCount.zero) { $0 + $1.largestUndecided }
        return sum > bound ? sum : nil
    }

    /// The most that all processes held at once without program pages, or `nil` where these are not known of one.
    ///
    /// At the instant of a sample a process had mapped at most as many as at its end, and no more than it shared.
    package func netMaximum(within traces: [ProcessTrace]) -> ByteCount? {
        let peaks = traces.compactMap(\.netPeak)
        guard peaks.count == traces.count, let largest = peaks.max() else { return nil }
        let seen = [largestSamples.resident, largestSamples.anonymous].map { sample in
            sample.reduce(ByteCount.zero) { sum, part in
                let pages = processes[part.index].programPages ?? part.reading.shared
                return sum + part.reading.resident - min(part.reading.shared, pages)
            }
        }
        return min(seen.reduce(largest, max), peaks.reduce(.zero, +))
    }
}

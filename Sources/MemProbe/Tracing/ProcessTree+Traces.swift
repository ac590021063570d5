// SPDX-License-Identifier: Apache-2.0

extension ProcessTree {
    /// Returns the traces of the command itself and of each process whose own memory was read.
    ///
    /// A parent that is not among them is replaced by its nearest ancestor that is.
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

    /// The most memory of processes that may have used their parent's, or `nil` if it is below the error bound of a
    /// mark.
    package var undecided: ByteCount? {
        let sum = processes.reduce(ByteCount.zero) { $0 + $1.largestUndecided }
        return sum > bound ? sum : nil
    }

    /// Returns the most that all processes held at once without program pages, or `nil` if these are unknown for one.
    ///
    /// In a sample, a process had mapped at most as many as at its end, and no more than it shared.
    package func netMaximum(within traces: [ProcessTrace]) -> ByteCount? {
        let peaks = traces.compactMap(\.netPeak)
        guard peaks.count == traces.count, let largest = peaks.max() else { return nil }
        let seen = [largestSamples.resident, largestSamples.anonymous].map { sample in
            JointReading(sample) { withoutProgram($0.reading.shared, of: $0.index) }.least.resident
        }
        let proportional = largestProportional.reduce(ByteCount.zero) { sum, part in
            sum + part.reading.anonymous + part.reading.shmem + withoutProgram(part.reading.file, of: part.index)
        }
        return min(seen.reduce(max(largest, proportional), max), peaks.reduce(.zero, +))
    }

    /// Reads the program pages within what all processes held for certain at the last sample; `nil` if they are hidden.
    func programPagesTogether(_ files: ProcessFiles) -> ByteCount? {
        var pages: [Int: ByteCount] = [:]
        for part in parts {
            for thread in processes[part.index].threads.sorted() {
                guard let read = files.programPages(of: thread) else { continue }
                pages[part.index] = read
                break
            }
        }
        guard !pages.isEmpty else { return nil }
        let net = JointReading(parts) { max(.zero, $0.reading.shared - (pages[$0.index] ?? .zero)) }
        return joint.least.resident - net.least.resident
    }

    private func withoutProgram(_ pages: ByteCount, of index: Int) -> ByteCount {
        max(.zero, pages - (processes[index].programPages ?? pages))
    }
}

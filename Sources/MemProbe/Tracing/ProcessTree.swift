// SPDX-License-Identifier: Apache-2.0

/// What the processes of a command held at one instant, each by its index.
package typealias TreeSample = [(index: Int, reading: ResidentReading)]

/// The processes of a command and their threads, fed with what is seen of them.
///
/// It reads nothing itself, so that every order of events can be tried without a process.
package struct ProcessTree: Sendable {
    /// Every process there has been, in the order in which they were first seen.
    package private(set) var processes: [TracedProcess]
    /// The most that all of them held at once.
    package private(set) var maximum = TreeMaximum.none
    /// The samples in which all of them held most, and most that no file backed: one of the two is the net maximum's.
    package private(set) var largestSamples: (resident: TreeSample, anonymous: TreeSample) = ([], [])

    /// How far a mark of the kernel can be from the truth.
    private let bound: ByteCount
    /// Where each thread belongs that was seen and whose end was not.
    private var indexOfThread: [Int32: Int]

    /// Creates the tree of a command that has not become its program yet.
    package init(leader: Int32, bound: ByteCount, at time: Int) {
        self.bound = bound
        processes = [TracedProcess(identifier: leader, parent: nil, name: "", ownsMemory: false, at: time)]
        indexOfThread = [leader: 0]
    }

    /// The indexes of the processes that have not ended.
    package var living: [Int] {
        processes.indices.filter { processes[$0].endNanoseconds == nil }
    }

    /// Whether nothing is left.
    package var isEmpty: Bool {
        !processes.contains { $0.endNanoseconds == nil }
    }

    /// The index of a thread's process, or `nil` for one that has not appeared.
    package func index(ofThread thread: Int32) -> Int? {
        indexOfThread[thread]
    }

    /// The index of a living process.
    package func index(ofProcess identifier: Int32) -> Int? {
        processes.lastIndex { $0.identifier == identifier && $0.endNanoseconds == nil }
    }

    /// Adds a thread to its process, or a new process; a second time it does nothing.
    ///
    /// A new process whose parent is not known is counted as the command's own child: its parent has died.
    ///
    /// - Parameter sharesMemory: whether a new process uses its parent's memory.
    package mutating func appear(_ thread: Int32, _ identity: ThreadIdentity, sharesMemory: Bool, at time: Int) {
        guard indexOfThread[thread] == nil else { return }
        if identity.process != thread, let index = index(ofProcess: identity.process) {
            indexOfThread[thread] = index
            processes[index].begin(thread: thread)
            return
        }
        let parent = index(ofProcess: identity.parent) ?? 0
        indexOfThread[thread] = processes.count
        processes.append(
            TracedProcess(
                identifier: thread, parent: parent, name: processes[parent].name, ownsMemory: !sharesMemory, at: time))
    }

    /// Notes that a thread's process became a program: the thread is its only one now, under the process's number.
    package mutating func execute(_ thread: Int32, former: Int32, name: String, largestResident: ByteCount) {
        guard let index = indexOfThread[thread] ?? indexOfThread[former] else { return }
        for other in processes[index].threads where other != thread {
            indexOfThread[other] = nil
            processes[index].end(thread: other)
        }
        indexOfThread[former] = nil
        indexOfThread[thread] = index
        processes[index].begin(thread: thread)
        let peaks = processes.indices.filter { descends($0, from: index) }.map { processes[$0].peak(bound: bound) }
        // What the kernel says of an ended child may differ from what was read of it by the bound of either.
        let largestChild = peaks.map { $0.resident + bound }.max() ?? .zero
        processes[index].become(name, largestResident: largestResident, largestChild: largestChild)
    }

    private func descends(_ index: Int, from ancestor: Int) -> Bool {
        var parent = processes[index].parent
        while let candidate = parent, candidate != ancestor { parent = processes[candidate].parent }
        return parent == ancestor
    }

    /// Notes what was read of a thread's process while the thread stood at its end.
    package mutating func noteEnd(_ thread: Int32, _ reading: ProcessReading) {
        guard let index = indexOfThread[thread] else { return }
        processes[index].note(reading)
        processes[index].end(thread: thread)
    }

    /// Notes that a thread is gone; a process is gone with the thread that has its number.
    package mutating func end(_ thread: Int32, at time: Int) {
        guard let index = indexOfThread.removeValue(forKey: thread) else { return }
        processes[index].end(thread: thread)
        guard processes[index].identifier == thread else { return }
        for (other, owner) in indexOfThread where owner == index { indexOfThread[other] = nil }
        processes[index].end(at: time)
    }

    /// Notes what was read of a process in passing.
    package mutating func note(_ reading: ProcessReading, of index: Int) {
        processes[index].note(reading)
    }

    /// Notes how many threads a process was seen to have.
    package mutating func note(threads count: Int, of index: Int) {
        processes[index].note(threads: count)
    }

    /// Notes a sample of all processes at once.
    package mutating func note(_ sample: TreeSample, at time: Int) {
        let sample = sample.filter { processes[$0.index].ownsMemory }
        guard !sample.isEmpty else { return }
        var sum = ResidentReading(resident: .zero, shared: .zero)
        for (index, reading) in sample {
            processes[index].note(reading)
            sum.resident += reading.resident
            sum.shared += reading.shared
        }
        if sum.resident > maximum.resident { largestSamples.resident = sample }
        if sum.anonymous > maximum.anonymous { largestSamples.anonymous = sample }
        maximum.note(sum, processes: sample.count, at: time)
    }

    /// Marks the processes that still run when they should not.
    package mutating func markOutlived() {
        for index in living where index != 0 { processes[index].outlived = true }
    }

    /// Notes what the command's own peak is at most; it counts only where nothing was read of it.
    package mutating func note(largestPossible: ByteCount) {
        processes[0].largestPossible = largestPossible
    }

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
}

extension ProcessTree {
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

// SPDX-License-Identifier: Apache-2.0

/// What the processes of a command held at one instant, each by its index.
package typealias TreeSample = [(index: Int, reading: ResidentReading)]

/// The processes of a command and their threads, fed with what is seen of them.
///
/// It reads nothing itself, so that every order of events can be tried without a process. What an event costs depends
/// on the processes that live, never on those that have lived: a build begins tens of thousands.
package struct ProcessTree: Sendable {
    /// Every process there has been, in the order in which they were first seen.
    package private(set) var processes: [TracedProcess]
    /// The most that all of them held at once.
    package private(set) var maximum = TreeMaximum.none
    /// The samples in which all of them held most, and most that no file backed: one of the two is the net maximum's.
    package private(set) var largestSamples: (resident: TreeSample, anonymous: TreeSample) = ([], [])
    /// What all of them held over time.
    package private(set) var series = TreeSeries()
    /// The indexes of the processes that have not ended, in their order.
    package private(set) var living: [Int]

    /// How far a mark of the kernel can be from the truth.
    let bound: ByteCount
    /// Where each thread belongs that was seen and whose end was not.
    private var indexOfThread: [Int32: Int]
    /// The same of living processes.
    private var indexOfProcess: [Int32: Int]
    /// The threads of each living process that are in ``indexOfThread``.
    private var threadsOf: [Int: Set<Int32>]
    /// The processes that use the memory of one that began them, by whose memory it is.
    private var users: [Int: Set<Int>] = [:]

    /// Creates the tree of a command that has not become its program yet.
    package init(leader: Int32, bound: ByteCount, at time: Int) {
        self.bound = bound
        processes = [TracedProcess(identifier: leader, parent: nil, name: "", memory: .parents, at: time)]
        indexOfThread = [leader: 0]
        indexOfProcess = [leader: 0]
        threadsOf = [0: [leader]]
        living = [0]
    }

    /// Whether nothing is left.
    package var isEmpty: Bool { living.isEmpty }

    /// The index of a thread's process, or `nil` for one that has not appeared.
    package func index(ofThread thread: Int32) -> Int? { indexOfThread[thread] }

    /// The index of a living process.
    package func index(ofProcess identifier: Int32) -> Int? { indexOfProcess[identifier] }

    /// Adds a thread to its process, or a new process; a second time it does nothing.
    ///
    /// A new process whose parent is not known is counted as the command's own child: its parent has died.
    ///
    /// - Parameter memory: whose memory a new process uses.
    package mutating func appear(_ thread: Int32, _ identity: ThreadIdentity, memory: ChildMemory, at time: Int) {
        guard indexOfThread[thread] == nil else { return }
        if identity.process != thread, let index = index(ofProcess: identity.process) {
            keep(thread, of: index)
            processes[index].begin(thread: thread)
            return
        }
        let known = index(ofProcess: identity.parent)
        let (index, parent) = (processes.count, known ?? 0)
        // Of a parent that has ended the memory is the child's alone.
        let memory = known == nil ? .own : memory
        processes.append(
            TracedProcess(
                identifier: thread, parent: parent, name: processes[parent].name, memory: memory, at: time))
        indexOfProcess[thread] = index
        living.append(index)
        keep(thread, of: index)
        if memory != .own { use(memoryOf: parent, by: index) }
    }

    /// Notes whose memory a process uses of which that was not known, or that has a memory of its own by now.
    package mutating func decide(_ memory: ChildMemory, of index: Int) {
        guard memory != .unknown, processes[index].memory != memory else { return }
        if memory == .own { stopUsing(index) }
        processes[index].decide(memory)
    }

    /// Notes that a thread's process became a program: the thread is its only one now, under the process's number.
    package mutating func execute(_ thread: Int32, former: Int32, name: String, largestResident: ByteCount) {
        guard let index = indexOfThread[thread] ?? indexOfThread[former] else { return }
        for other in processes[index].threads where other != thread {
            forget(other, of: index)
            processes[index].end(thread: other)
        }
        forget(former, of: index)
        keep(thread, of: index)
        processes[index].begin(thread: thread)
        processes[index].become(name, largestResident: largestResident)
        stopUsing(index)
        passMemory(of: index)
    }

    /// Notes what was read of a thread's process while the thread stood at its end.
    package mutating func noteEnd(_ thread: Int32, _ reading: ProcessReading) {
        guard let index = indexOfThread[thread] else { return }
        processes[index].note(reading)
        processes[index].end(thread: thread)
    }

    /// Notes that a thread is gone; a process is gone with the thread that has its number.
    package mutating func end(_ thread: Int32, at time: Int) {
        guard let index = indexOfThread[thread] else { return }
        forget(thread, of: index)
        processes[index].end(thread: thread)
        guard processes[index].identifier == thread else { return }
        for other in threadsOf.removeValue(forKey: index) ?? [] { indexOfThread[other] = nil }
        indexOfProcess[thread] = nil
        if let place = place(of: index) { living.remove(at: place) }
        processes[index].end(at: time)
        stopUsing(index)
        passMemory(of: index)
        if let parent = processes[index].parent {
            // What the kernel says of an ended child may differ from what was read of it by the bound of either.
            processes[parent].note(
                largestChild: max(processes[index].peak(bound: bound).resident + bound, processes[index].largestChild))
        }
    }

    package mutating func note(_ reading: ProcessReading, of index: Int) {
        processes[index].note(reading)
    }

    package mutating func note(threads count: Int, of index: Int) {
        processes[index].note(threads: count)
    }

    /// Notes a sample of all processes at once.
    package mutating func note(_ sample: TreeSample, at time: Int) {
        var own: TreeSample = []
        var sum = ResidentReading(resident: .zero, shared: .zero)
        for (index, reading) in sample {
            processes[index].note(reading)
            guard processes[index].ownsMemory else { continue }
            own.append((index, reading))
            sum.resident += reading.resident
            sum.shared += reading.shared
        }
        guard !own.isEmpty else { return }
        if sum.resident > maximum.resident { largestSamples.resident = own }
        if sum.anonymous > maximum.anonymous { largestSamples.anonymous = own }
        maximum.note(sum, processes: own.count, at: time)
        series.note(Sample(timeNanoseconds: time, resident: sum.resident, shared: sum.shared))
    }

    /// Marks the processes that still run when they should not.
    package mutating func markOutlived() {
        for index in living where index != 0 { processes[index].outlived = true }
    }

    /// Notes what the command's own peak is at most, where its end was not read.
    package mutating func note(largestPossible: ByteCount) {
        processes[0].largestPossible = largestPossible
    }
}

extension ProcessTree {
    private mutating func keep(_ thread: Int32, of index: Int) {
        indexOfThread[thread] = index
        threadsOf[index, default: []].insert(thread)
    }

    private mutating func forget(_ thread: Int32, of index: Int) {
        indexOfThread[thread] = nil
        threadsOf[index]?.remove(thread)
    }

    /// The place of a living process in ``living``, which is in order.
    private func place(of index: Int) -> Int? {
        var (low, high) = (0, living.count)
        while low < high {
            let middle = (low + high) / 2
            if living[middle] < index { low = middle + 1 } else { high = middle }
        }
        return low < living.count && living[low] == index ? low : nil
    }

    private mutating func use(memoryOf parent: Int, by index: Int) {
        let owner = processes[parent].memoryOwner ?? parent
        processes[index].memoryOwner = owner
        users[owner, default: []].insert(index)
    }

    private mutating func stopUsing(_ index: Int) {
        guard let owner = processes[index].memoryOwner else { return }
        processes[index].memoryOwner = nil
        users[owner]?.remove(index)
        if users[owner]?.isEmpty == true { users[owner] = nil }
    }

    /// Gives the memory that a process has left to the first of those that still use it: it is counted as one's.
    private mutating func passMemory(of index: Int) {
        guard var others = users.removeValue(forKey: index), let heir = others.min() else { return }
        others.remove(heir)
        processes[heir].memoryOwner = nil
        processes[heir].decide(.own)
        for other in others { processes[other].memoryOwner = heir }
        if !others.isEmpty { users[heir] = others }
    }
}

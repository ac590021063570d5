// SPDX-License-Identifier: Apache-2.0

/// Readings of a command's processes at one instant, each with the index of its process.
package typealias TreeSample = [(index: Int, reading: ResidentReading)]

/// The processes of a command and their threads, built from the events of a tracer.
///
/// It reads nothing itself, so that any order of events can be tested without processes. The cost of an event depends
/// on the living processes only: a build starts tens of thousands.
package struct ProcessTree: Sendable {
    /// All processes so far, in the order in which they were first seen.
    package private(set) var processes: [TracedProcess]
    package private(set) var maximum = TreeMaximum.none
    /// The samples with the most resident and the most anonymous memory, one of which gives the net maximum.
    package private(set) var largestSamples: (resident: TreeMaximum.Snapshot, anonymous: TreeMaximum.Snapshot) = (
        .none, .none
    )
    /// The proportional sizes with the largest sum.
    package private(set) var largestProportional: [(index: Int, reading: ProportionalReading)] = []
    /// The last sample, of which ``joint`` has the bounds.
    package private(set) var snapshot = TreeMaximum.Snapshot.none
    /// The most that the control group was charged, if it was read to its end.
    package var groupPeak: ChargePeak?
    /// The samples in a row in which the processes held more than their control group, so that some have left it.
    private var samplesOutside = 0
    private var hasLeftGroup: Bool { group.left != nil || samplesOutside > Self.mostOutside }
    private static let mostOutside = 5
    var group = CommandTrace.Group()
    package private(set) var joint = JointReading.none
    /// The number of processes that have begun, ended or executed a program.
    package private(set) var generation = 0
    package private(set) var series = TreeMaximum.Series()
    package private(set) var living: [Int]

    /// The error bound of a high-water mark.
    let bound: ByteCount
    private var indexOfThread: [Int32: Int]
    private var indexOfProcess: [Int32: Int]
    private var threadsOf: [Int: Set<Int32>]
    /// The processes that use another one's memory, by the index of its owner.
    private var users: [Int: Set<Int>] = [:]
    private var kinCount = 1

    /// Creates the tree of a command before its `exec`.
    package init(leader: Int32, bound: ByteCount, at time: Int) {
        self.bound = bound
        processes = [TracedProcess(identifier: leader, parent: nil, name: "", memory: .parents, at: time)]
        indexOfThread = [leader: 0]
        indexOfProcess = [leader: 0]
        threadsOf = [0: [leader]]
        living = [0]
    }

    package var isEmpty: Bool { living.isEmpty }

    /// Returns the index of a thread's process, or `nil` if it has not appeared.
    package func index(ofThread thread: Int32) -> Int? { indexOfThread[thread] }

    package func index(ofProcess identifier: Int32) -> Int? { indexOfProcess[identifier] }

    /// Adds a thread to its process, or a new process that uses `memory`; repeated calls do nothing.
    ///
    /// A new process with an unknown parent is counted as the command's own child: its parent has died.
    package mutating func appear(_ thread: Int32, _ identity: ThreadIdentity, memory: ChildMemory, at time: Int) {
        guard indexOfThread[thread] == nil else { return }
        if identity.process != thread, let index = index(ofProcess: identity.process) {
            keep(thread, of: index)
            processes[index].begin(thread: thread)
            return
        }
        let known = index(ofProcess: identity.parent)
        let (index, parent) = (processes.count, known ?? 0)
        // After the parent's end, the memory is the child's alone.
        let memory = known == nil ? .own : memory
        processes.append(
            TracedProcess(
                identifier: thread, parent: parent, name: processes[parent].name, memory: memory, at: time))
        processes[index].kin = processes[parent].kin
        generation += 1
        indexOfProcess[thread] = index
        living.append(index)
        keep(thread, of: index)
        if memory != .own { use(memoryOf: parent, by: index) }
    }

    /// Notes whose memory a process uses, if that was unknown or has changed.
    package mutating func decide(_ memory: ChildMemory, of index: Int) {
        guard memory != .unknown, processes[index].memory != memory else { return }
        if memory == .own { stopUsing(index) }
        processes[index].decide(memory)
    }

    /// Notes an `exec`: the thread is its process's only one now, with the process's number.
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
        processes[index].kin = kinCount
        kinCount += 1
        generation += 1
        stopUsing(index)
        passMemory(of: index)
    }

    /// Notes a reading of a thread's process at the thread's exit stop.
    package mutating func noteEnd(_ thread: Int32, _ reading: ProcessReading) {
        guard let index = indexOfThread[thread] else { return }
        note(reading, of: index)
        processes[index].end(thread: thread)
    }

    /// Notes the end of a thread; a process ends with the thread that has its number.
    package mutating func end(_ thread: Int32, at time: Int) {
        guard let index = indexOfThread[thread] else { return }
        forget(thread, of: index)
        processes[index].end(thread: thread)
        guard processes[index].identifier == thread else { return }
        for other in threadsOf.removeValue(forKey: index) ?? [] { indexOfThread[other] = nil }
        indexOfProcess[thread] = nil
        if let place = place(of: index) { living.remove(at: place) }
        processes[index].end(at: time)
        generation += 1
        stopUsing(index)
        passMemory(of: index)
        if let parent = processes[index].parent {
            // The kernel's value for an ended child may differ from its last reading by one error bound.
            processes[parent].note(
                largestChild: max(processes[index].peak(bound: bound).resident + bound, processes[index].largestChild))
        }
    }

    package mutating func note(_ reading: ProcessReading, of index: Int) {
        processes[index].note(reading)
        if let held = reading.held, processes[index].ownsMemory { group.mostHeld = max(group.mostHeld ?? .zero, held) }
    }

    package mutating func note(signal: Int32, of index: Int) { processes[index].signal = signal }

    package mutating func note(threads count: Int, of index: Int) { processes[index].note(threads: count) }

    /// Notes a sample of all processes at once, and the charge of their control group just after it.
    package mutating func note(_ sample: TreeSample, group: ChargeStatistics? = nil, at time: Int) {
        var own: [TreeMaximum.Part] = []
        for (index, reading) in sample {
            processes[index].note(reading)
            guard processes[index].ownsMemory else { continue }
            own.append(TreeMaximum.Part(index: index, kin: processes[index].kin, reading: reading))
        }
        guard !own.isEmpty else { return }
        snapshot = TreeMaximum.Snapshot(parts: own, group: group)
        joint = JointReading(snapshot)
        if let group {
            noteOutside(JointReading(TreeMaximum.Snapshot(parts: own)).least.anonymous > group.anonymousAtMost)
        }
        let least = joint.least
        if least.resident > maximum.resident { largestSamples.resident = snapshot }
        if least.anonymous > maximum.anonymous { largestSamples.anonymous = snapshot }
        maximum.note(least, processes: own.count, at: time)
        series.note(Sample(timeNanoseconds: time, resident: least.resident, shared: least.shared))
    }

    /// Notes whether the processes hold more than their control group.
    ///
    /// A single sample may be off, because memory is freed while it is taken.
    private mutating func noteOutside(_ isOutside: Bool) {
        if samplesOutside <= Self.mostOutside { samplesOutside = isOutside ? samplesOutside + 1 : 0 }
    }

    /// Notes the proportional sizes of all processes at once.
    package mutating func note(proportional parts: [(index: Int, reading: ProportionalReading)], at time: Int) {
        let anonymous = parts.reduce(ByteCount.zero) { $0 + $1.reading.anonymous }
        let shared = parts.reduce(ByteCount.zero) { $0 + $1.reading.file + $1.reading.shmem }
        if anonymous + shared > maximum.resident || anonymous > maximum.anonymous { largestProportional = parts }
        maximum.note(
            ResidentReading(resident: anonymous + shared, shared: shared), processes: parts.count, at: time)
    }

    /// Lets the peak of a living process count from now on.
    mutating func beginWindow(of index: Int, isReset: Bool) { processes[index].beginWindow(isReset: isReset) }

    /// Lets the figures of all processes together count from now on, and forgets those that have ended.
    mutating func beginWindow() {
        for index in processes.indices where processes[index].endNanoseconds != nil {
            processes[index].beginWindow(isReset: true)
        }
        (maximum, largestProportional, series) = (.none, [], TreeMaximum.Series())
        largestSamples = (.none, .none)
    }

    /// Marks the processes that run on after the command.
    package mutating func markOutlived() {
        for index in living where index != 0 { processes[index].outlived = true }
    }

    /// Notes the upper bound of the command's own peak, for a command whose end was not read.
    package mutating func note(largestPossible: ByteCount) { processes[0].largestPossible = largestPossible }
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

    /// Returns the position of a living process in ``living``, which is sorted.
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

    /// Passes the memory of an ended process to the first process that still uses it, so that it stays counted once.
    private mutating func passMemory(of index: Int) {
        guard var others = users.removeValue(forKey: index), let heir = others.min() else { return }
        others.remove(heir)
        processes[heir].memoryOwner = nil
        processes[heir].decide(.own)
        for other in others { processes[other].memoryOwner = heir }
        if !others.isEmpty { users[heir] = others }
    }

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

    /// Returns the maximum with the bounds that are known at the end.
    func boundedMaximum(of traces: [ProcessTrace], isPolled: Bool) -> TreeMaximum {
        var bounded = maximum.bounded(by: traces, isPolled: isPolled)
        guard let net = netMaximum(within: traces) else { return bounded }
        (bounded.net, bounded.netAtMost, bounded.isOfGroup) = (net.least, net.most, net.isOfGroup ? true : nil)
        let most = net.most + traces.reduce(.zero) { $0 + ($1.programPages ?? .zero) }
        bounded.residentAtMost = bounded.residentAtMost.map { max(bounded.resident, min($0, most)) }
        return bounded
    }

    /// Returns the bounds of what all processes held at once without program pages; `nil` if these are unknown for one.
    ///
    /// In a sample, a process had mapped at most as many as at its end, and no more than it shared. Memory without a file
    /// is charged to the group; pages of files that are mapped as data may be charged to another one.
    package func netMaximum(within traces: [ProcessTrace]) -> NetMaximum? {
        let peaks = traces.compactMap(\.netPeak)
        guard peaks.count == traces.count, let largest = peaks.max() else { return nil }
        let seen = [largestSamples.resident, largestSamples.anonymous].map { sample in
            JointReading(sample) { withoutProgram($0.reading.shared, of: $0.index) }.least.resident
        }
        let proportional = largestProportional.reduce(ByteCount.zero) { sum, part in
            sum + part.reading.anonymous + part.reading.shmem + withoutProgram(part.reading.file, of: part.index)
        }
        let sum = TreeMaximum.largestSum(atOnce: traces) { $0.netPeak ?? .zero }
        let least = min(seen.reduce(max(largest, proportional), max), sum)
        let data = processes.filter(\.wasRead).compactMap(\.dataPages)
        guard let groupPeak, peaks.count > 1, data.count == peaks.count, !hasLeftGroup else {
            return NetMaximum(least: least, most: sum, isOfGroup: false)
        }
        let charged = groupPeak.total + (groupPeak.errorBound ?? .zero) + data.reduce(.zero, +)
        return NetMaximum(least: least, most: max(least, min(charged, sum)), isOfGroup: charged < sum)
    }

    /// Reads the program pages within what all processes held for certain at the last sample; `nil` if they are hidden.
    func programPagesTogether(_ files: ProcessFiles) -> ByteCount? {
        var pages: [Int: ByteCount] = [:]
        for part in snapshot.parts {
            for thread in processes[part.index].threads.sorted() {
                guard let read = files.programPages(of: thread) else { continue }
                pages[part.index] = read
                break
            }
        }
        guard !pages.isEmpty else { return nil }
        let net = JointReading(snapshot) { max(.zero, $0.reading.shared - (pages[$0.index] ?? .zero)) }
        return joint.least.resident - net.least.resident
    }

    /// The bounds of what all processes held at once without program pages.
    package struct NetMaximum: Hashable, Sendable {
        package var least: ByteCount
        package var most: ByteCount
        /// True if ``most`` is what the control group was charged.
        package var isOfGroup: Bool
    }

    private func withoutProgram(_ pages: ByteCount, of index: Int) -> ByteCount {
        max(.zero, pages - (processes[index].programPages ?? pages))
    }
}

/// Processes of one name that a trace does not list individually.
public struct OtherProcesses: Codable, Hashable, Sendable {
    /// The name of the program, as the kernel reports it.
    public var name: String
    /// The number of processes.
    public var count: Int
    /// The largest peak of one of them.
    public var largestPeak: ByteCount
    /// The sum of their peaks.
    public var sumOfPeaks: ByteCount
    /// The largest error bound of their peaks.
    public var errorBound: ByteCount
    /// The largest number of threads of one of them.
    public var threads: Int

    /// Creates a group of processes.
    public init(
        name: String, count: Int, largestPeak: ByteCount, sumOfPeaks: ByteCount, errorBound: ByteCount = .zero,
        threads: Int
    ) {
        (self.errorBound, self.name, self.count) = (errorBound, name, count)
        (self.largestPeak, self.sumOfPeaks, self.threads) = (largestPeak, sumOfPeaks, threads)
    }

    private enum CodingKeys: String, CodingKey {
        case name, count, threads
        case largestPeak = "largest_peak_bytes"
        case sumOfPeaks = "sum_of_peaks_bytes"
        case errorBound = "error_bound_bytes"
    }

    static func byName(_ processes: [ProcessTrace], adding groups: [OtherProcesses]) -> [OtherProcesses] {
        var found = Dictionary(groups.map { ($0.name, $0) }) { first, _ in first }
        for process in processes {
            var group =
                found[process.name]
                ?? OtherProcesses(name: process.name, count: 0, largestPeak: .zero, sumOfPeaks: .zero, threads: 0)
            group.count += 1
            group.largestPeak = max(group.largestPeak, process.peak.resident)
            group.sumOfPeaks += process.peak.resident
            group.errorBound = max(group.errorBound, process.peak.errorBound)
            group.threads = max(group.threads, process.threads)
            found[process.name] = group
        }
        return found.values.sorted { ($1.largestPeak, $0.name) < ($0.largestPeak, $1.name) }
    }
}

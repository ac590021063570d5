// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

/// Reads the high-water marks of a command's processes repeatedly, if they cannot be stopped at their ends.
package final class PolledTracer: Tracer {
    private var finder: ChildFinder
    private var leaderCPU = 0
    /// The start of each process's stack, which changes with `exec`, and the number of polls since.
    private var programs: [Int: (stackStart: Int, polls: Int)] = [:]

    init(_ leader: Int32, _ plan: TracedCommand.Plan, _ finder: ChildFinder) {
        self.finder = finder
        super.init(leader, plan)
    }

    /// Opens the gate and polls the command to its end.
    func run(
        _ child: borrowing GatedChild, _ watch: borrowing ChildWatch, reason: String
    ) throws(MemProbeError) -> CommandTrace {
        finder.guardian = child.guardian
        child.open()
        // Until its `exec` the child is a copy of this process, which must not be polled.
        if let failure = child.startFailure() {
            child.reap()
            throw failure
        }
        tree.execute(leader, former: leader, name: files.name(of: leader), largestResident: .zero)
        var due = MonotonicClock.now()
        while true {
            let now = MonotonicClock.now()
            if now >= due {
                poll(at: now)
                noteProportional(at: now)
                due = SamplingSchedule.next(after: due, now: MonotonicClock.now(), interval: plan.interval)
            }
            takeLeader(child)
            serve(method: .polled) { poll(at: $0) }
            if finder.guardian != nil, child.isUnguarded() { finder.guardian = nil }
            if tree.isEmpty && !finder.findsAny(of: leader) { break }
            try keepLimits(MonotonicClock.now())
            // Killing races with processes that start new ones; sleeping would lose that race.
            if limits.isKilling { due = 0 } else { watch.wait(until: due) }
        }
        return trace(method: .polled, reason: reason, cpuOfLeader: leaderCPU)
    }

    private func poll(at time: Int) {
        let found = finder.descendants(of: leader)
        for process in found where tree.index(ofProcess: process) == nil { appear(process, at: time) }
        var sample: [(index: Int, reading: ResidentReading)] = []
        for index in tree.living {
            if let reading = read(index, at: time) { sample.append((index, reading)) }
        }
        note(sample, at: time)
    }

    private func appear(_ process: Int32, at time: Int) {
        guard process != leader, let stat = files.stat(of: process) else { return }
        guard !stat.isZombie || stat.threads > 1 else { return reap(process) }
        let identity = ThreadIdentity(process: process, parent: stat.parent)
        let memory = files.memory(of: process, childOf: stat.parent)
        tree.appear(process, identity, memory: memory, at: time)
        if let index = tree.index(ofProcess: process) {
            // Only the `exec` of a process that began as a copy is visible: its stack moves.
            let parent = tree.processes[index].parent
            let isKnown = tree.index(ofProcess: stat.parent) != nil
            programs[index] = ((isKnown ? parent.flatMap { programs[$0]?.stackStart } : nil) ?? stat.stackStart, 0)
        }
        if limits.isKilling { kill(process, SIGKILL) }
    }

    /// Reads one process; returns `nil` if it has ended or has no memory of its own.
    private func read(_ index: Int, at time: Int) -> ResidentReading? {
        let process = tree.processes[index].identifier
        guard let stat = files.stat(of: process), !stat.isZombie || stat.threads > 1 else {
            if process != leader { end(process, at: time) }
            return nil
        }
        noteProgram(of: index, stat)
        noteMemory(of: index)
        tree.note(threads: stat.threads, of: index)
        let polls = programs[index]?.polls ?? 0
        let threads = stat.isZombie ? ChildFinder.threads(of: process).reversed() : [process]
        // Mappings take longer to read and seldom change: read them often at first, then every 128th time.
        let looks = polls & (polls - 1) == 0 || polls.isMultiple(of: 128)
        tree.note(
            files.reading(of: process, through: threads.first ?? process, look: looks ? .names : .none), of: index)
        guard tree.processes[index].ownsMemory else { return nil }
        if looks { noteGroup(of: index, through: threads.first ?? process) }
        return files.resident(of: process, threads: threads)
    }

    private func noteProgram(of index: Int, _ stat: StatFile) {
        let known = programs[index]
        // An exiting process has no stack any more.
        guard stat.stackStart != 0 else { return }
        if let known, known.stackStart != stat.stackStart {
            let process = tree.processes[index].identifier
            tree.execute(process, former: process, name: files.name(of: process), largestResident: .zero)
            programs[index] = (stat.stackStart, 1)
        } else {
            programs[index] = (stat.stackStart, (known?.polls ?? 0) + 1)
        }
    }

    /// Checks again whose memory a process uses if it is not known to have its own.
    private func noteMemory(of index: Int) {
        let process = tree.processes[index]
        guard !process.ownsMemory, let parent = process.memoryOwner else { return }
        let memory = files.memory(of: process.identifier, childOf: tree.processes[parent].identifier)
        tree.decide(memory, of: index)
    }

    private func end(_ process: Int32, at time: Int) {
        files.forget(process)
        if let index = tree.index(ofProcess: process) { programs[index] = nil }
        tree.end(process, at: time)
        if process != leader { reap(process) }
    }

    /// Reaps a dead orphan; a zombie child of another process is left to its parent.
    private func reap(_ process: Int32) {
        var change = cmemprobe_change()
        _ = cmemprobe_change_of(process, &change)
    }

    private func takeLeader(_ child: borrowing GatedChild) {
        guard leaderEnd == nil, let change = child.end() else { return }
        let now = MonotonicClock.now()
        leaderCPU = Int(change.cpu_nanoseconds)
        // `ru_maxrss` may begin with this process's memory and never falls: an upper bound, not a peak.
        tree.note(largestPossible: ByteCount(procKilobytes: change.largest_resident_kilobytes))
        leaderEnd = (WaitStatus(change.status), now)
        // Children may have started since the last poll; orphans are found among this process's own.
        end(leader, at: now)
        poll(at: now)
    }

    private func keepLimits(_ now: Int) throws(MemProbeError) {
        guard try isKillDue(at: now) else { return }
        poll(at: now)
        // The whole group at once, from which no child can escape, while its number is certain; then processes that
        // have left it.
        if leaderEnd == nil { kill(-leader, SIGKILL) }
        for index in tree.living { kill(tree.processes[index].identifier, SIGKILL) }
    }

    /// Finds the children of processes that cannot be traced.
    ///
    /// It reads the `children` files of the kernel, or without them the parent of every process.
    struct ChildFinder {
        private let hasChildrenFiles = access("/proc/thread-self/children", R_OK) == 0
        private let own = getpid()
        private var before: Set<Int32> = []
        /// The process that adopts the command's orphans, until it has ended.
        var guardian: Int32?

        init() { before = Set(children(of: own)) }

        /// Returns the processes of a command: all descendants of its leader, and the orphans that this process or the
        /// guardian adopted.
        func descendants(of leader: Int32) -> [Int32] {
            var found = [leader]
            var seen = before.union(found)
            if let guardian {
                seen.insert(guardian)
                found += children(of: guardian).filter { seen.insert($0).inserted }
            }
            found += children(of: own).filter { seen.insert($0).inserted }
            var next = 0
            while next < found.count {
                found += children(of: found[next]).filter { seen.insert($0).inserted }
                next += 1
            }
            return found
        }

        /// True if a command whose leader has ended has any process left, including zombies.
        ///
        /// The guardian ends with the last of them. If it was killed, the orphans are this process's own children; if there
        /// are no others, the kernel can be asked atomically. Lists change while they are read, and a process that ends
        /// just then hides its children.
        func findsAny(of leader: Int32) -> Bool {
            guard guardian == nil else { return true }
            return before.isEmpty ? cmemprobe_has_children() : descendants(of: leader).count > 1
        }

        static func threads(of process: Int32) -> [Int32] { numbers(in: "/proc/\(process)/task") }

        private func children(of process: Int32) -> [Int32] {
            hasChildrenFiles ? Self.listed(of: process) : childrenByParent(of: process)
        }

        /// Returns the children of a process as the kernel lists them, if it does.
        static func listed(of process: Int32) -> [Int32] {
            threads(of: process).flatMap { words(of: "/proc/\(process)/task/\($0)/children") }
        }

        private func childrenByParent(of process: Int32) -> [Int32] {
            let files = ProcessFiles()
            return Self.numbers(in: "/proc").filter { files.stat(of: $0)?.parent == process }
        }

        private static func words(of path: String) -> [Int32] {
            let text = TextBuffer()
            guard let file = try? Descriptor(opening: path), let count = try? file.read(into: text) else { return [] }
            return String(decoding: text.prefix(count), as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
        }

        private static func numbers(in folder: String) -> [Int32] {
            guard var stream = FolderStream(folder) else { return [] }
            var numbers: [Int32] = []
            while let name = stream.next() {
                if let number = Int32(name) { numbers.append(number) }
            }
            return numbers
        }
    }
}

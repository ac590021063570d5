// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

/// Follows every thread of a command by `ptrace` stops, and reads each process at its exit stop.
final class ExitStopTracer: Tracer {
    private var emptySince: Int?
    /// The time that stopped threads have waited, with the changes to this process and back.
    private var tracing = 0
    /// The cost of the context switches of one stop: 20 to 30 µs with two processors, less with one.
    private static let changeTime = 30_000
    /// New processes that wait at their first stop until their parents' stops tell how they were started: the last stop
    /// and its time.
    private var unannounced: [Int32: (status: WaitStatus, since: Int)] = [:]

    func run(_ child: borrowing GatedChild, _ watch: borrowing ChildWatch) throws(MemProbeError) -> CommandTrace {
        child.open()
        var due = start + plan.interval
        while true {
            let isDone = drain()
            let now = MonotonicClock.now()
            if isDone || isEmptyForGood(now) { break }
            releaseUnannounced(now)
            try keepLimits(now)
            serve(method: .exitStops) { readLiving(at: $0) }
            if now >= due {
                sample(at: now)
                noteProportional(at: now)
                due = SamplingSchedule.next(after: due, now: MonotonicClock.now(), interval: plan.interval)
            }
            watch.wait(until: due)
        }
        var trace = trace(method: .exitStops)
        if !tree.processes[0].hasExecuted, let failure = child.startFailure() { throw failure }
        trace.tracingNanoseconds = tracing
        return trace
    }

    /// Handles all pending events; returns true if no process is left that could cause more.
    private func drain() -> Bool {
        while true {
            var change = cmemprobe_change()
            guard cmemprobe_next_change(&change) == 0 else { return true }
            guard change.identifier > 0 else { return false }
            let begin = MonotonicClock.now()
            handle(change)
            // A reaped thread is not stopped.
            guard change.status & 0xff == 0x7f else { continue }
            tracing += MonotonicClock.now() - begin + Self.changeTime
        }
    }

    /// True if all known processes have ended, and no unannounced one has appeared for a while.
    ///
    /// A child's first stop can be late if its parent was killed in the middle of `fork`. Only a caller with other
    /// children has to wait for that.
    private func isEmptyForGood(_ now: Int) -> Bool {
        guard tree.isEmpty && unannounced.isEmpty else {
            emptySince = nil
            return false
        }
        let since = emptySince ?? now
        emptySince = since
        return now - since > 20_000_000
    }

    private func handle(_ change: cmemprobe_change) {
        let thread = change.identifier
        let status = WaitStatus(change.status)
        switch status {
        case .exited, .killed:
            end(thread, status)
            return
        default:
            if tree.index(ofThread: thread) == nil, status != .exec, !meet(thread, status) { return }
        }
        switch status {
        case .child(let birth): announce(by: thread, birth)
        case .exec: execute(thread, ByteCount(procKilobytes: change.largest_resident_kilobytes))
        case .exit: readAtEnd(thread)
        default: break
        }
        resume(thread, after: status)
    }

    /// Resumes a thread; fails only if it was killed meanwhile, which the next wait reports.
    private func resume(_ thread: Int32, after status: WaitStatus) {
        switch status {
        case .groupStop: _ = cmemprobe_trace_listen(thread)
        case .delivery(let signal): _ = cmemprobe_trace_continue(thread, signal)
        default: _ = cmemprobe_trace_continue(thread, 0)
        }
    }

    /// Adds a thread at its first stop; returns false if it has to wait until its parent's stop announces it.
    private func meet(_ thread: Int32, _ status: WaitStatus) -> Bool {
        guard limits.isKilling else {
            unannounced[thread] = (status, unannounced[thread]?.since ?? MonotonicClock.now())
            return false
        }
        if let identity = try? files.identity(of: thread) { appear(thread, identity) }
        return true
    }

    /// Adds a thread or process; `unknown` memory is looked up.
    private func appear(_ thread: Int32, _ identity: ThreadIdentity, memory: ChildMemory = .unknown) {
        var memory = memory
        if memory == .unknown, identity.process == thread {
            memory = files.memory(of: thread, childOf: identity.parent)
        }
        tree.appear(thread, identity, memory: memory, at: MonotonicClock.now())
        if limits.isKilling { kill(identity.process, SIGKILL) }
    }

    /// Adds what a thread announces as its child or as another thread, and resumes it if it was waiting for that.
    private func announce(by thread: Int32, _ birth: WaitStatus.Birth) {
        guard let child = message(of: thread), let parent = tree.index(ofThread: thread) else { return }
        var flags: UInt64 = 0
        let hasFlags = cmemprobe_clone_flags(thread, &flags) == 0
        let memory = hasFlags ? ChildMemory(cloneFlags: flags) : birth.memory
        guard tree.index(ofThread: child) == nil else {
            if let index = tree.index(ofProcess: child), tree.processes[index].memory == .unknown {
                tree.decide(memory, of: index)
            }
            return
        }
        let starter = tree.processes[parent].identifier
        if hasFlags {
            appear(child, ThreadIdentity(child, startedIn: starter, cloneFlags: flags), memory: memory)
        } else if var identity = try? files.identity(of: child) {
            identity.parent = starter
            appear(child, identity, memory: memory)
        }
        release(child)
    }

    private func release(_ thread: Int32) {
        guard let waiting = unannounced.removeValue(forKey: thread) else { return }
        if waiting.status == .exit { readAtEnd(thread) }
        resume(thread, after: waiting.status)
    }

    /// Resumes processes whose parents were killed before announcing them.
    private func releaseUnannounced(_ now: Int) {
        for (thread, waiting) in unannounced where limits.isKilling || now - waiting.since > Self.announcementTime {
            if let identity = try? files.identity(of: thread) { appear(thread, identity) }
            release(thread)
        }
    }

    /// The nanoseconds to wait for an announcement, which a living parent makes at once.
    private static let announcementTime = 50_000_000

    private func execute(_ thread: Int32, _ largestResident: ByteCount) {
        tree.execute(
            thread, former: message(of: thread) ?? thread, name: files.name(of: thread),
            largestResident: largestResident)
    }

    private func message(of thread: Int32) -> Int32? {
        var message: UInt = 0
        guard cmemprobe_trace_message(thread, &message) == 0 else { return nil }
        return Int32(exactly: message)
    }

    private func readAtEnd(_ thread: Int32) {
        guard let index = tree.index(ofThread: thread) else { return }
        let process = tree.processes[index]
        // Reading the mappings at every exit of a process with a thousand threads would take too long.
        let isFirst = thread == process.identifier
        let isLast = process.threads.subtracting([thread]).isEmpty
        // The mark only rises, and the process is read again when its first or its last thread ends.
        guard isFirst || isLast else { return }
        if isLast { sample(at: MonotonicClock.now()) }
        noteGroup(of: index, through: thread)
        tree.noteEnd(thread, files.reading(of: process.identifier, through: thread, look: .pages))
    }

    private func end(_ thread: Int32, _ status: WaitStatus) {
        let index = tree.index(ofThread: thread)
        let isProcess = index.map { tree.processes[$0].identifier == thread } ?? false
        if let index, isProcess, !limits.isKilling, case .killed(let signal) = status {
            tree.note(signal: signal, of: index)
            if signal == SIGKILL { noteKill() }
        }
        let now = MonotonicClock.now()
        unannounced[thread] = nil
        if isProcess { files.forget(thread) }
        if thread == leader, leaderEnd == nil { leaderEnd = (status, now) }
        tree.end(thread, at: now)
    }

    private func keepLimits(_ now: Int) throws(MemProbeError) {
        guard try isKillDue(at: now) else { return }
        // A process that is killed at the same instant from elsewhere may not stop at its end: keep what is known.
        readLiving()
        for index in tree.living { kill(tree.processes[index].identifier, SIGKILL) }
    }

    private func readLiving(at time: Int? = nil) {
        for index in tree.living {
            let process = tree.processes[index]
            for thread in process.threads.sorted() {
                let reading = files.reading(of: process.identifier, through: thread, look: .pages)
                tree.note(reading, of: index)
                if reading.mark != nil { break }
            }
        }
        if let time { sample(at: time) }
    }

    private func sample(at time: Int) {
        var sample: [(index: Int, reading: ResidentReading)] = []
        for index in tree.living where tree.processes[index].ownsMemory {
            let process = tree.processes[index]
            guard let reading = files.resident(of: process.identifier, threads: process.threads) else { continue }
            sample.append((index, reading))
        }
        note(sample, at: time)
    }
}

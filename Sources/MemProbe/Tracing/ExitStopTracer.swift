// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Follows every thread of a command from stop to stop, and reads each process while it stands at its end.
final class ExitStopTracer {
    private let leader: Int32
    private let plan: TracePlan
    private let files = ProcessFiles()
    private let start = MonotonicClock.now()
    private var tree: ProcessTree
    private var limits: TraceLimits
    private var ending: TraceEnding
    private var emptySince: Int?

    init(_ leader: Int32, _ plan: TracePlan) {
        self.leader = leader
        self.plan = plan
        tree = ProcessTree(leader: leader, bound: PeakErrorBound.current, at: start)
        limits = TraceLimits(start: start, timeout: plan.timeout, residentLimit: plan.residentLimit)
        ending = TraceEnding(start: start)
    }

    /// Opens the gate and follows the command to its end.
    func run(_ child: borrowing GatedChild, _ watch: borrowing ChildWatch) throws(MemProbeError) -> CommandTrace {
        child.open()
        var due = start + plan.interval
        while true {
            let isDone = drain()
            let now = MonotonicClock.now()
            if isDone || isEmptyForGood(now) { break }
            try keepLimits(now)
            if now >= due {
                sample(at: now)
                due = SamplingSchedule.next(after: due, now: MonotonicClock.now(), interval: plan.interval)
            }
            watch.wait(until: due)
        }
        tree.takeAway()
        if !tree.processes[0].hasExecuted, let failure = child.startFailure() { throw failure }
        return ending.trace(of: tree, method: .exitStops, reason: nil)
    }

    /// Takes every change that there is; whether nothing is left that could change.
    private func drain() -> Bool {
        while true {
            var change = cmemprobe_change()
            guard cmemprobe_next_change(&change) == 0 else { return true }
            guard change.identifier > 0 else { return false }
            handle(change)
        }
    }

    /// Whether every process that was seen has ended, and none that nobody announced has come for a while.
    ///
    /// A child's first stop can be late when its parent was killed in the middle of `fork`. Only a caller with other
    /// children has to wait for that.
    private func isEmptyForGood(_ now: Int) -> Bool {
        guard tree.isEmpty else {
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
            if tree.index(ofThread: thread) == nil, status != .exec { appear(thread) }
        }
        switch status {
        case .child: announce(by: thread)
        case .exec: execute(thread, ByteCount(procKilobytes: change.largest_resident_kilobytes))
        case .exit: readAtEnd(thread)
        default: break
        }
        resume(thread, after: status)
    }

    /// Lets a thread go on; a failure says that it was killed meanwhile, and the next wait says so too.
    private func resume(_ thread: Int32, after status: WaitStatus) {
        switch status {
        case .groupStop: _ = cmemprobe_trace_listen(thread)
        case .delivery(let signal): _ = cmemprobe_trace_continue(thread, signal)
        default: _ = cmemprobe_trace_continue(thread, 0)
        }
    }

    /// Adds a thread or process that was announced by another or that stands at its beginning, whichever came first.
    private func appear(_ thread: Int32, parent: Int32? = nil) {
        guard var identity = try? files.identity(of: thread) else { return }
        identity.parent = parent ?? identity.parent
        let sharesMemory = identity.process == thread && cmemprobe_shares_memory(thread, identity.parent) == 1
        tree.appear(thread, identity, sharesMemory: sharesMemory, at: MonotonicClock.now())
        if limits.isKilling { kill(identity.process, SIGKILL) }
    }

    private func announce(by thread: Int32) {
        guard let child = message(of: thread), tree.index(ofThread: child) == nil,
            let parent = tree.index(ofThread: thread)
        else { return }
        appear(child, parent: tree.processes[parent].identifier)
    }

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
        // A thousand threads that end one by one need not look through the mappings a thousand times.
        let isFirst = thread == process.identifier
        let isLast = process.threads.subtracting([thread]).isEmpty
        if isLast { sample(at: MonotonicClock.now()) }
        tree.noteEnd(
            thread,
            files.reading(of: process.identifier, through: thread, look: isFirst || isLast ? .pages : .none))
    }

    private func end(_ thread: Int32, _ status: WaitStatus) {
        let isProcess = tree.index(ofThread: thread).map { tree.processes[$0].identifier == thread } ?? false
        let now = MonotonicClock.now()
        if isProcess { files.forget(thread) }
        if thread == leader, ending.leaderEnded == nil { ending.note(status, at: now) }
        tree.end(thread, at: now)
    }

    private func keepLimits(_ now: Int) throws(MemProbeError) {
        switch limits.step(at: now, leaderEnded: ending.leaderEnded, resident: tree.maximum.resident) {
        case .wait: return
        case .giveUp: throw MemProbeError(.notEnded, source: "a process of the command")
        case .killOverdue: ending.timedOut = true
        case .killOverLimit: ending.isOverLimit = true
        case .killOutlived: tree.markOutlived()
        }
        // A process killed by somebody else in the same instant may not stop at its end: what is known stays known.
        for index in tree.living {
            let process = tree.processes[index]
            for thread in process.threads.sorted() {
                let reading = files.reading(of: process.identifier, through: thread, look: .pages)
                tree.note(reading, of: index)
                if reading.mark != nil { break }
            }
        }
        for index in tree.living { kill(tree.processes[index].identifier, SIGKILL) }
    }

    private func sample(at time: Int) {
        var sample: [(index: Int, reading: ResidentReading)] = []
        for index in tree.living where tree.processes[index].ownsMemory {
            let process = tree.processes[index]
            guard let reading = files.resident(of: process.identifier, threads: process.threads) else { continue }
            sample.append((index, reading))
        }
        tree.note(sample, at: time)
    }
}

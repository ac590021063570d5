// SPDX-License-Identifier: Apache-2.0

import Libc

/// The state that both ways of following a command share: its processes, its limits, and its control group.
package class Tracer {
    let leader: Int32
    let plan: TracedCommand.Plan
    let files = ProcessFiles()
    let start = MonotonicClock.now()
    var tree: ProcessTree
    var limits: TraceLimits
    var leaderEnd: (status: WaitStatus, time: Int)?
    private var timedOut = false
    /// The memory, without program pages, that exceeded the limit and for which the command was killed.
    private var overLimit: ByteCount?
    private var netLimit: NetLimit?
    private var proportional: ProportionalSampler
    private var group: ChargeReader?
    /// The start of what is counted, and the processor time before it.
    var window: (start: Int, cpuNanoseconds: Int)
    /// The time since which all processes together have held as much as at the last sample.
    private(set) var unchangedSince = 0

    init(_ leader: Int32, _ plan: TracedCommand.Plan) {
        (self.leader, self.plan) = (leader, plan)
        window = (start, 0)
        tree = ProcessTree(leader: leader, bound: PeakErrorBound.current, at: start)
        limits = TraceLimits(start: start, timeout: plan.timeout, grace: plan.grace)
        netLimit = plan.residentLimit.map { NetLimit($0) }
        proportional = ProportionalSampler(start: start)
        if let group = plan.group { self.group = try? ChargeReader(group) }
    }

    /// Notes a sample of all processes; for several, together with the charge of their group.
    final func note(_ sample: TreeSample, at time: Int) {
        let before = tree.joint.least
        tree.note(sample, group: sample.count > 1 ? try? group?.parts() : nil, at: time)
        if tree.joint.least != before { unchangedSince = time }
    }

    /// Reads proportional sizes, unless a control group tells how much several processes share.
    final func noteProportional(at time: Int) {
        if tree.snapshot.group == nil { proportional.step(&tree, files, at: time) }
    }

    /// Notes whether a process is in another control group than the command's own.
    final func noteGroup(of index: Int, through thread: Int32) {
        guard let group = plan.group, files.finds(group.place, in: "cgroup", of: thread) == false,
            // An ended one is in the group of the root, and polling may come too late.
            files.stat(of: thread)?.isZombie == false
        else { return }
        tree.group.left = tree.group.left ?? tree.processes[index].name
    }

    /// Notes a process that was killed from elsewhere, before its parent knows and can remove a group of its own.
    final func noteKill() {
        if let group = plan.group { tree.group.killCount = max(tree.group.killCount, group.killCount ?? 0) }
    }

    /// Returns true when all processes have to be killed, for whichever limit, and notes the reason.
    final func isKillDue(at now: Int) throws(MemProbeError) -> Bool {
        let excess = netLimit?.excess(of: tree.maximum.resident) { tree.programPagesTogether(files) }
        switch limits.step(at: now, leaderEnded: leaderEnd?.time, isOverLimit: excess != nil) {
        case .wait: return false
        case .giveUp: throw MemProbeError(.notEnded, source: "a process of the command")
        case .killOverdue: timedOut = true
        case .killOverLimit: overLimit = excess
        case .killOutlived: tree.markOutlived()
        }
        return true
    }

    final var cpuNanoseconds: Int { tree.processes.reduce(0) { $0 + $1.cpuNanoseconds } }

    final func trace(
        method: CommandTrace.Method, reason: String? = nil, cpuOfLeader: Int = 0, until: Int? = nil
    ) -> CommandTrace {
        if until == nil { tree.reap() }
        tree.groupPeak = try? group?.peak()
        let end = until ?? leaderEnd?.time ?? MonotonicClock.now()
        let processes = tree.traces(end: end)
        var trace = CommandTrace(
            method: method, methodReason: reason, exitStatus: nil, timedOut: timedOut, startNanoseconds: window.start,
            endNanoseconds: max(window.start, end),
            cpuNanoseconds: max(0, max(cpuNanoseconds, cpuOfLeader) - window.cpuNanoseconds), processes: processes,
            treeMaximum: tree.boundedMaximum(of: processes, isPolled: method == .polled))
        switch leaderEnd?.status {
        case .exited(let status): trace.exitStatus = status
        case .killed(let signal): trace.signal = signal
        default: break
        }
        trace.undecided = tree.undecided
        trace.unreadReason = files.failure?.description
        trace.group = plan.group.map { _ in tree.group }
        trace.series = tree.series.samples
        trace.overLimit = overLimit
        return trace
    }
}

// SPDX-License-Identifier: Apache-2.0

import CMemProbe

struct TraceEnding {
    let start: Int
    var leaderEnded: Int?
    var timedOut = false
    /// What was held when the rest was killed for that, without program pages.
    var overLimit: ByteCount?
    private var exitStatus: Int32?
    private var signal: Int32?

    init(start: Int) { self.start = start }

    mutating func note(_ status: WaitStatus, at time: Int) {
        leaderEnded = time
        switch status {
        case .exited(let status): exitStatus = status
        case .killed(let signal): self.signal = signal
        default: break
        }
    }

    func trace(
        of tree: ProcessTree, method: CommandTrace.Method, reason: String?, unread: MemProbeError?,
        cpuNanoseconds: Int = 0
    ) -> CommandTrace {
        let end = leaderEnded ?? MonotonicClock.now()
        let processes = tree.traces(end: end)
        var maximum = tree.maximum.bounded(by: processes, isPolled: method == .polled)
        maximum.net = tree.netMaximum(within: processes)
        let sum = tree.processes.reduce(0) { $0 + $1.cpuNanoseconds }
        var trace = CommandTrace(
            method: method, methodReason: reason, exitStatus: exitStatus, signal: signal, timedOut: timedOut,
            startNanoseconds: start, endNanoseconds: end, cpuNanoseconds: max(sum, cpuNanoseconds),
            processes: processes, treeMaximum: maximum)
        trace.undecided = tree.undecided
        trace.unreadReason = unread?.description
        trace.series = tree.series.samples
        trace.overLimit = overLimit
        return trace
    }
}

extension ProcessTree {
    /// Reaps orphaned zombies, which have become children of this process.
    func takeAway() {
        for process in processes {
            var change = cmemprobe_change()
            _ = cmemprobe_change_of(process.identifier, &change)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import MemProbe

extension FieldChecks {
    /// Holds what was traced of a command to what can be added and drawn.
    mutating func check(_ trace: CommandTrace, _ place: Place) {
        let time = Bound(Limits.time)
        number(trace.startNanoseconds, "start_ns", place, to: time)
        number(trace.endNanoseconds, "end_ns", place, from: Bound(max(0, trace.startNanoseconds), "start_ns"), to: time)
        number(trace.cpuNanoseconds, "cpu_ns", place, to: time)
        size(trace.overLimit, "over_limit_bytes", place, to: Bound(Limits.addresses))
        let all = trace.treeMaximum
        size(all.resident, "tree_maximum.resident_bytes", place, to: Bound(Limits.addresses))
        size(all.anonymous, "tree_maximum.anonymous_bytes", place, to: Bound(Limits.addresses))
        size(all.net, "tree_maximum.net_bytes", place, to: Bound(Limits.addresses))
        number(all.timeNanoseconds, "tree_maximum.time_ns", place, to: time)
        number(all.processes, "tree_maximum.processes", place, to: Bound(Limits.threads))
        var sum = 0
        for index in trace.processes.indices where !isFull {
            let process = trace.processes[index]
            check(process, { place() + ".processes[\(index)]" })
            let (total, isTooLarge) = sum.addingReportingOverflow(process.peak.resident.rawValue)
            guard !isTooLarge, total <= Limits.count else {
                return add("processes", "hold more together than \(Limits.count) bytes", in: place)
            }
            sum = total
        }
    }

    private mutating func check(_ process: ProcessTrace, _ place: Place) {
        let most = Bound(Limits.memory)
        size(process.peak.resident, "peak.resident_bytes", place, to: most)
        size(process.peak.errorBound, "peak.error_bound_bytes", place, to: Bound(Limits.addresses))
        size(process.programPages, "program_bytes", place, to: most)
        size(process.netPeak, "net_peak_bytes", place, to: most)
        size(process.anonymousAtEnd, "anonymous_at_end_bytes", place, to: most)
        number(process.threads, "threads", place, to: Bound(Limits.threads))
        number(process.order, "order", place, from: 1, to: Bound(Limits.count))
        number(process.parentOrder, "parent_order", place, to: Bound(Limits.count))
        let time = Bound(Limits.time)
        number(process.startNanoseconds, "start_ns", place, to: time)
        number(
            process.endNanoseconds, "end_ns", place, from: Bound(max(0, process.startNanoseconds), "start_ns"), to: time
        )
    }
}

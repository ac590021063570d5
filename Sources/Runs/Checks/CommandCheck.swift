// SPDX-License-Identifier: Apache-2.0

import MemProbe

extension FieldChecks {
    /// Checks that the trace of a command can be calculated with and drawn.
    mutating func check(_ trace: CommandTrace, _ place: Place) {
        let time = Bound(Limits.time)
        number(trace.startNanoseconds, "start_ns", place, to: time)
        number(trace.tracingNanoseconds ?? 0, "tracing_ns", place, to: time)
        number(trace.endNanoseconds, "end_ns", place, from: Bound(max(0, trace.startNanoseconds), "start_ns"), to: time)
        number(trace.cpuNanoseconds, "cpu_ns", place, to: time)
        size(trace.overLimit, "over_limit_bytes", place, to: Bound(Limits.addresses))
        let all = trace.treeMaximum
        size(all.resident, "tree_maximum.resident_bytes", place, to: Bound(Limits.addresses))
        size(all.anonymous, "tree_maximum.anonymous_bytes", place, to: Bound(Limits.addresses))
        size(all.net, "tree_maximum.net_bytes", place, to: Bound(Limits.addresses))
        number(all.timeNanoseconds, "tree_maximum.time_ns", place, to: time)
        number(all.processes, "tree_maximum.processes", place, to: Bound(Limits.threads))
        checkOthers(of: trace, place)
        var sum = trace.others.reduce(0) { ($0 + $1.sumOfPeaks.rawValue) }
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

    /// Checks the groups of processes and the samples.
    private mutating func checkOthers(of trace: CommandTrace, _ place: Place) {
        for index in trace.others.indices where !isFull {
            let (group, at) = (trace.others[index], { place() + ".others[\(index)]" })
            number(group.count, "count", at, from: 1, to: Bound(Limits.threads))
            number(group.threads, "threads", at, to: Bound(Limits.threads))
            size(group.largestPeak, "largest_peak_bytes", at, to: Bound(Limits.memory))
            size(group.errorBound, "error_bound_bytes", at, to: Bound(Limits.addresses))
            size(
                group.sumOfPeaks, "sum_of_peaks_bytes", at, from: Bound(group.largestPeak, "largest_peak_bytes"),
                to: Bound(Limits.addresses))
        }
        for index in trace.series.indices where !isFull {
            let (sample, at) = (trace.series[index], { place() + ".series[\(index)]" })
            size(sample.resident, "resident_bytes", at, to: Bound(Limits.addresses))
            size(sample.shared, "shared_bytes", at, to: Bound(sample.resident, "resident_bytes"))
            number(sample.timeNanoseconds, "time_ns", at, to: Bound(Limits.time))
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

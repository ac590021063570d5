// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import TrialKit

extension FieldChecks {
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
        size(all.netAtMost, "tree_maximum.net_at_most_bytes", place, to: Bound(Limits.addresses))
        size(all.residentAtMost, "tree_maximum.resident_at_most_bytes", place, to: Bound(Limits.addresses))
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

package struct CostCheck {
    private let limits: MachineLimits
    private var fields = FieldChecks()

    /// Returns the mistakes in a report, by field; empty if it is usable.
    /// - Parameter spawned: The instant before the process was spawned, on the monotonic clock, in nanoseconds.
    package static func mistakes(
        in report: CostReport, spawnedNanoseconds spawned: Int, limits: MachineLimits
    ) -> [DocumentMistake] {
        var check = CostCheck(limits: limits)
        let version = FieldChecks.Bound(CostRequest.understoodVersion)
        check.fields.number(report.version, "version", from: version, to: version)
        check.fields.number(
            report.start.timeNanoseconds, "start.time_ns",
            from: FieldChecks.Bound(spawned, "when the process was started"), to: FieldChecks.Bound(Limits.time))
        check.inventory(report.start.inventory, { "start.inventory" })
        if let fetched = report.fetched {
            check.fields.number(
                fetched.timeNanoseconds, "fetched.time_ns",
                from: FieldChecks.Bound(report.start.timeNanoseconds, "start.time_ns"),
                to: FieldChecks.Bound(Limits.time))
            check.inventory(fetched.inventory, { "fetched.inventory" })
        }
        check.fields.size(report.body, "body_bytes", to: FieldChecks.Bound(Limits.body))
        return check.fields.mistakes
    }

    private mutating func inventory(_ inventory: ProcessInventory, _ place: FieldChecks.Place) {
        fields.size(inventory.resident, "resident_bytes", place, to: limits.memoryBound)
        guard (0...limits.memory.rawValue).contains(inventory.resident.rawValue) else { return }
        let whole = FieldChecks.Bound(inventory.resident + limits.tolerance, "resident_bytes plus tolerance")
        fields.size(inventory.anonymous, "anonymous_bytes", place, to: whole)
        fields.size(inventory.privateFile, "private_file_bytes", place, to: whole)
        fields.size(inventory.sharedFile, "shared_file_bytes", place, to: whole)
        fields.number(inventory.threads, "threads", place, from: 1, to: FieldChecks.Bound(Limits.threads))
        fields.number(inventory.descriptors, "descriptors", place, to: FieldChecks.Bound(Limits.count))
        for library in inventory.libraries ?? [] where !fields.isFull {
            fields.size(library.fileSize, "libraries.file_bytes", place, to: FieldChecks.Bound(Limits.body))
        }
    }
}

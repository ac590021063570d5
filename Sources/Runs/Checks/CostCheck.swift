// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import TrialKit

/// The check of a program's cost report.
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

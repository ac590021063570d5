// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

/// An instant that a report names, and where.
struct ReportInstant {
    /// The field.
    let field: String
    /// The instant on the monotonic clock, in nanoseconds.
    let time: Int

    /// All instants of a report, in the order in which they have to follow each other.
    static func all(of report: TrialReport) -> [ReportInstant] {
        var all: [ReportInstant] = []
        func add(_ field: String, _ time: Int?) {
            if let time { all.append(ReportInstant(field: field, time: time)) }
        }
        add("baseline.memory.time_ns", report.baseline?.memory.timeNanoseconds)
        // More phases than there are are a mistake already.
        for (index, reading) in report.phases.prefix(Phase.measured.count).enumerated() {
            add("phases[\(index)].start_ns", reading.startNanoseconds)
            add("phases[\(index)].end_ns", reading.endNanoseconds)
            add("phases[\(index)].end.memory.time_ns", reading.end.memory.timeNanoseconds)
        }
        add("settled.memory.time_ns", report.settled?.memory.timeNanoseconds)
        add("purged.memory.time_ns", report.purged?.memory.timeNanoseconds)
        return all
    }
}

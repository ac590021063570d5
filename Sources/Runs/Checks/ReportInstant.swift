// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

/// An instant in a report, with its field.
struct ReportInstant {
    let field: String
    /// The instant on the monotonic clock, in nanoseconds.
    let time: Int

    /// Returns the instants of a report in their required order.
    static func all(of report: TrialReport) -> [ReportInstant] {
        var all: [ReportInstant] = []
        func add(_ field: String, _ time: Int?) {
            if let time { all.append(ReportInstant(field: field, time: time)) }
        }
        add("baseline.memory.time_ns", report.baseline?.memory.timeNanoseconds)
        // More phases are reported as a mistake elsewhere.
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

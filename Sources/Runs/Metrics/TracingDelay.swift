// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// Times of commands, which stand still for a moment whenever the tracer is told of one of their processes or threads.
package enum TracingDelay {
    /// The share of a time from which it is said to be an upper bound.
    private static let tolerance = 0.05

    /// The explanation of the mark, where a table has one.
    fileprivate static let legend =
        "≤: stops of tracing are more than a twentieth of this time; without them it is shorter."

    /// Returns the mark of an upper bound, or nothing.
    package static func mark(tracing: Double?, of duration: Double?) -> String {
        guard let tracing, let duration, tracing > tolerance * duration else { return "" }
        return "≤ "
    }
}

extension CaseSummary {
    /// The mark of the time of the fetch or of the command: that of an upper bound, or nothing.
    package var timeMark: String {
        TracingDelay.mark(tracing: median(of: .tracing), of: median(of: .duration(of: .fetch)))
    }
}

extension [CaseSummary] {
    /// The explanation of the mark behind a space, or nothing where no time has it.
    package var timeLegend: String { contains { !$0.timeMark.isEmpty } ? " " + TracingDelay.legend : "" }
}

extension Trial {
    package var timeMark: String {
        TracingDelay.mark(tracing: Metric.tracing.value(self), of: Metric.duration(of: .fetch).value(self))
    }
}

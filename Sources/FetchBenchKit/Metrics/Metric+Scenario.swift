// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Statistics
import TrialKit

extension Metric {
    /// A figure that the player of a scenario answers under the name of the metric.
    static func played(
        _ name: String, short: String, _ unit: Unit, _ summary: String, better direction: Direction = .lower
    ) -> Metric {
        Metric(name, short: short, unit, summary, better: direction) { $0.report?.scenario?.figures[name] }
    }

    /// What one request leaves allocated.
    package static let allocatedSlope = Metric(
        "allocated_slope_bytes", short: "leak", .bytes,
        "repeat: what one request leaves allocated, by the allocator's account (Theil–Sen)"
    ) { RepetitionTrend($0)?.allocated?.slope }
    /// What one request adds to the resident size.
    package static let residentSlope = Metric(
        "resident_slope_bytes", short: "resident_slope", .bytes, "repeat: what one request adds to the resident size"
    ) { RepetitionTrend($0)?.resident.slope }
    /// What one request adds to the anonymous memory.
    package static let anonymousSlope = Metric(
        "anonymous_slope_bytes", short: "anonymous_slope", .bytes,
        "repeat: what one request adds to the anonymous memory"
    ) { RepetitionTrend($0)?.anonymous.slope }
    /// How many requests were made.
    package static let scenarioRequests = played(
        "scenario_requests", short: "requests", .ratio, "how many requests a scenario made", better: .neither)

    /// The return curve: the resident size some time after the last repetition, over the mark.
    package static let returnCurve: [Metric] = ["0s", "100ms", "1s", "5s", "purge"].enumerated().map { index, moment in
        bytes(
            "returned_after_\(moment)_bytes", short: "returned_\(moment)",
            "repeat: resident \(moment == "purge" ? "after a purge" : "\(moment) after the last repetition"), over the mark"
        ) { trial in
            guard let baseline = trial.baseline, let curve = trial.report?.scenario?.series["returned_resident_bytes"],
                curve.indices.contains(index)
            else { return nil }
            return ByteCount(curve[index]) - baseline.resident
        }
    }
}

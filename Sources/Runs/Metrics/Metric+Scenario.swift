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
        "repeat, proxy: what one request leaves allocated, by the allocator's account (Theil–Sen)"
    ) { RepetitionTrend($0)?.allocated?.slope }
    /// What one request adds to the resident size.
    package static let residentSlope = Metric(
        "resident_slope_bytes", short: "resident_slope", .bytes,
        "repeat, proxy: what one request adds to the resident size"
    ) { RepetitionTrend($0)?.resident.slope }
    /// What one request adds to the anonymous memory.
    package static let anonymousSlope = Metric(
        "anonymous_slope_bytes", short: "anonymous_slope", .bytes,
        "repeat, proxy: what one request adds to the anonymous memory"
    ) { RepetitionTrend($0)?.anonymous.slope }
    /// How many bytes of a body were sent more than once.
    package static let refetched = played(
        "refetched_bytes", short: "refetched", .bytes,
        "resume: bytes that the killed process had read and the next one fetched again")
    /// What had arrived when a download was cut.
    package static let cutReceived = played(
        "cut_received_bytes", short: "cut_received", .bytes,
        "resume: bytes of the body that the first process had read from its connection when it was cut",
        better: .neither)
    /// What was on its way then.
    package static let cutUnderway = played(
        "cut_underway_bytes", short: "cut_underway", .bytes,
        "resume: bytes of the body that the origin sent and the first process did not live to read", better: .neither)
    /// What of it was kept.
    package static let cutKept = played(
        "cut_kept_bytes", short: "cut_kept", .bytes, "resume: bytes of the body that were on disk when it was cut",
        better: .neither)
    /// The same as a share of the body.
    package static let refetchedRatio = played(
        "refetched_ratio", short: "refetched_share", .ratio, "resume: refetched_bytes ÷ size")
    /// What a paused download holds.
    package static let pausedHeld = played(
        "paused_held_bytes", short: "paused", .bytes, "resume:pause: resident memory that a paused download holds")
    /// How many downloads there may be at once.
    package static let downloadSlots = played(
        "download_slots_ratio", short: "download_slots", .ratio, "concurrency: how many downloads at once are allowed",
        better: .neither)
    /// How many downloads there were at once.
    package static let mostDownloads = played(
        "most_downloads_ratio", short: "most_downloads", .ratio, "concurrency: how many downloads there were at once",
        better: .neither)
    /// How many decodes there were at once.
    package static let mostDecodes = played(
        "most_decodes_ratio", short: "slot_decodes", .ratio, "concurrency: how many decodes there were at once",
        better: .neither)
    /// What each download that may run costs.
    package static let peakPerSlot = bytes(
        "peak_per_slot_bytes", short: "slot_peak", "concurrency: peak growth for each download that may run at once"
    ) { trial in
        guard let slots = trial.report?.scenario?.figures["download_slots_ratio"], slots > 0,
            let peak = Metric.peakResidentGrowth.value(trial)
        else { return nil }
        return ByteCount(Int(peak / slots))
    }
    /// How long all of it takes.
    package static let slotsDuration = Metric(
        "slots_duration_ns", short: "slots_time", .nanoseconds, "concurrency: time until all are done"
    ) { trial in
        guard trial.cell.conditions.scenario.name == "concurrency" else { return nil }
        return duration(of: .fetch).value(trial)
    }
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

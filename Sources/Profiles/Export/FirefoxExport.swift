// SPDX-License-Identifier: Apache-2.0

import Texts

/// A profile in the processed profile format of the Firefox Profiler, https://profiler.firefox.com.
///
/// The holders are a thread whose samples all lie at the peak and weigh bytes. Weights may be negative, as in the
/// viewer's own comparisons, so they sum to the kernel's figure. Counters hold differences between samples.
///
/// The fields are those of `src/types/profile.ts` of https://github.com/firefox-devtools/profiler.
enum FirefoxExport {
    static func text(of profile: HolderProfile, timeline: ProfileTimeline?) -> String {
        let timeline = timeline ?? ProfileTimeline()
        var tables = FirefoxTables()
        let rows = ProfileRows(profile).withStatesAsFrames
        let stacks = rows.rows.map { tables.stack(of: rows.frames(of: $0)) }
        let thread = FirefoxThread(
            name: "held at the peak", timeline: timeline, stacks: stacks, weights: rows.rows.map(\.bytes),
            markers: markers(profile, timeline, &tables))
        return JSONText.compact(
            FirefoxProfile(
                meta: FirefoxMeta(profile, timeline), counters: FirefoxCounter.all(of: timeline),
                shared: tables.shared, threads: [thread]))
    }

    private static func markers(
        _ profile: HolderProfile, _ timeline: ProfileTimeline, _ tables: inout FirefoxTables
    ) -> FirefoxMarkers {
        var markers = FirefoxMarkers()
        let peak = timeline.bestPeakNanoseconds
        for phase in timeline.phases {
            markers.append(
                name: tables.strings.place(of: phase.name), start: phase.startNanoseconds, end: phase.endNanoseconds,
                data: .init(type: "Phase", name: phase.name, bytes: nil))
        }
        markers.append(
            name: tables.strings.place(of: "peak"), start: peak, end: nil,
            data: .init(type: "Peak", name: nil, bytes: profile.explainedPeak))
        return markers
    }
}

private struct FirefoxProfile: Encodable {
    let meta: FirefoxMeta
    /// Empty, as there are no addresses to symbolicate.
    var libs: [String] = []
    let counters: [FirefoxCounter]
    let shared: FirefoxTables.Shared
    let threads: [FirefoxThread]
}

/// The viewer's times, which are milliseconds.
enum FirefoxTime {
    static func milliseconds(_ nanoseconds: Int) -> Double { Double(nanoseconds) / 1e6 }
}

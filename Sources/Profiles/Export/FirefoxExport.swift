// SPDX-License-Identifier: Apache-2.0

import Texts

/// A profile as the processed profile format of the Firefox Profiler, https://profiler.firefox.com: the one viewer that
/// shows the curve of memory, the phases and the stacks together.
///
/// The retained tree is a thread whose samples all lie at the peak and weigh bytes; they may be negative, as those of
/// its own comparisons are, so that they sum to the kernel's figure. Counters hold differences from sample to sample, as
/// the viewer adds them up.
///
/// The fields are those of `src/types/profile.ts` of https://github.com/firefox-devtools/profiler.
enum FirefoxExport {
    /// The document, on one line.
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

/// The whole document.
private struct FirefoxProfile: Encodable {
    let meta: FirefoxMeta
    /// There are no addresses to look up.
    var libs: [String] = []
    let counters: [FirefoxCounter]
    let shared: FirefoxTables.Shared
    let threads: [FirefoxThread]
}

/// Times of the viewer are milliseconds.
enum FirefoxTime {
    static func milliseconds(_ nanoseconds: Int) -> Double { Double(nanoseconds) / 1e6 }
}

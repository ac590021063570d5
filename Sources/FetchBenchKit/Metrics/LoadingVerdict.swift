// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// What the figures of a scenario that loads pictures say, in words: under which policy, and what it does wrong.
package enum LoadingVerdict {
    /// As many decodes at once as any of the policies lets happen.
    package static let mostDecodes = 6.0
    /// What a list may hold in bitmaps, as a multiple of what is visible: what is visible, a screen of cache, steps.
    package static let mostBitmaps = 4.0
    /// How much of a file hit may be memory where it is mapped.
    package static let mappedHit = 0.02

    /// How many of the pictures may come when their cell has another item: what was on its last steps when it left.
    package static let mostLate = 0.05

    /// What is wrong by a trial's figures; empty where nothing is.
    package typealias Rule = @Sendable ([String: Double]) -> [String]

    /// The rules of a list that scrolls.
    package static let gallery: Rule = { figures in
        var faults: [String] = []
        let running = figures["gallery_running"] ?? 0
        if (figures["gallery_failures"] ?? 0) > 0 { faults.append("fetches failed") }
        if (figures["gallery_undecoded"] ?? 0) > 0 { faults.append("shows fallbacks for pictures") }
        if (figures["gallery_wrong_pictures"] ?? 0) > 0 { faults.append("shows wrong pictures") }
        if running > 0 { faults.append("requests run on after the stop") }
        let late = figures["gallery_late"] ?? 0
        if (figures["gallery_stale"] ?? 0) > 0 || late > mostLate * (figures["gallery_reuses"] ?? 0) {
            faults.append("loads for cells that are gone")
        }
        if (figures["scenario_most_decodes"] ?? 0) > mostDecodes { faults.append("no limit of decodes") }
        if let bitmaps = figures["gallery_bitmaps_bytes"], let visible = figures["gallery_visible_bytes"],
            bitmaps > mostBitmaps * visible
        {
            faults.append("bitmaps of many times what is visible")
        }
        return faults
    }

    /// The rules of a cache.
    package static let cache: Rule = { figures in
        var faults: [String] = []
        if let held = figures["cache_held_bytes"], let limit = figures["cache_limit_bytes"],
            held > limit + (figures["cache_largest_picture_bytes"] ?? 0)
        {
            faults.append("holds more than its limit")
        }
        if figures["cache_held_bytes"] != nil, figures["cache_limit_bytes"] == nil {
            faults.append("no limit of memory")
        }
        if (figures["cache_file_hit_copies_ratio"] ?? 0) > mappedHit { faults.append("file hits are copied") }
        if (figures["cache_requests_for_one"] ?? 0) > 1 { faults.append("a request for each who asks") }
        return faults
    }

    /// The rules of one picture for many.
    package static let coalesce: Rule = { figures in
        var faults: [String] = []
        if (figures["scenario_requests"] ?? 0) > 1 { faults.append("a request for each who asks") }
        if (figures["scenario_decodes"] ?? 0) > 1 { faults.append("a decode for each who asks") }
        if figures["coalesce_pictures"] != 11 { faults.append("not a picture for each who stayed") }
        return faults
    }

    /// The policy's title, and the faults that most of the trials have.
    package static func words(of trials: [Trial], _ rule: Rule) -> String? {
        let readings = trials.filter(\.isCompleted).compactMap { $0.report?.scenario }
        guard let title = readings.first?.remarks.first else { return nil }
        let faults = readings.map { rule($0.figures) }
        var named: [String] = []
        for fault in faults.flatMap(\.self) where !named.contains(fault) {
            if 2 * faults.filter({ $0.contains(fault) }).count > faults.count { named.append(fault) }
        }
        return title + ": " + (named.isEmpty ? "nothing wrong" : named.joined(separator: ", "))
    }
}

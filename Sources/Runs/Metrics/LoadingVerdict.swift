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

    /// Looks at a trial's figures.
    package typealias Rule = @Sendable ([String: Double]) -> LoadingFaults

    /// The rules of a list that scrolls.
    package static let gallery: Rule = { figures in
        var faults = LoadingFaults(of: figures)
        faults.name("fetches failed", where: "gallery_failures", isAbove: 0)
        faults.name("shows fallbacks for pictures", where: "gallery_undecoded", isAbove: 0)
        faults.name("shows wrong pictures", where: "gallery_wrong_pictures", isAbove: 0)
        faults.name("requests run on after the stop", where: "gallery_running", isAbove: 0)
        faults.name("loads for cells that are gone", where: ["gallery_stale", "gallery_late", "gallery_reuses"]) {
            $0[0] > 0 || $0[1] > mostLate * $0[2]
        }
        faults.name("no limit of decodes", where: "scenario_most_decodes", isAbove: mostDecodes)
        faults.name(
            "bitmaps of many times what is visible", where: ["gallery_bitmaps_bytes", "gallery_visible_bytes"]
        ) { $0[0] > mostBitmaps * $0[1] }
        return faults
    }

    /// The rules of a cache.
    package static let cache: Rule = { figures in
        var faults = LoadingFaults(of: figures)
        // A policy without a memory cache holds nothing that could have a limit, and one without files has no hits in them.
        if figures["cache_held_bytes"] != nil {
            if figures["cache_limit_bytes"] == nil {
                faults.found.append("no limit of memory")
            } else {
                let sizes = ["cache_held_bytes", "cache_limit_bytes", "cache_largest_picture_bytes"]
                faults.name("holds more than its limit", where: sizes) { $0[0] > $0[1] + $0[2] }
            }
        }
        if figures["cache_files_bytes"] != nil || figures["cache_file_hit_copies_ratio"] != nil {
            faults.name("file hits are copied", where: "cache_file_hit_copies_ratio", isAbove: mappedHit)
        }
        faults.name("a request for each who asks", where: "cache_requests_for_one", isAbove: 1)
        return faults
    }

    /// The rules of one picture for many.
    package static let coalesce: Rule = { figures in
        var faults = LoadingFaults(of: figures)
        faults.name("a request for each who asks", where: "scenario_requests", isAbove: 1)
        faults.name("a decode for each who asks", where: "scenario_decodes", isAbove: 1)
        faults.name("not a picture for each who stayed", where: ["coalesce_pictures"]) { $0[0] != 11 }
        return faults
    }

    /// The policy's title, the faults that most of the trials have, and the figures that a trial lacks to judge by.
    package static func words(of trials: [Trial], _ rule: Rule) -> String? {
        let readings = trials.filter(\.isCompleted).compactMap { $0.report?.scenario }
        guard let title = readings.first?.remarks.first else { return nil }
        let faults = readings.map { rule($0.figures) }
        let named = once(faults.flatMap(\.found)).filter { fault in
            2 * faults.count { $0.found.contains(fault) } > faults.count
        }
        let unknown = once(faults.flatMap(\.unknown)).map { "missing figure: \($0)" }
        let words = named + unknown
        return title + ": " + (words.isEmpty ? "nothing wrong" : words.joined(separator: ", "))
    }

    private static func once(_ words: [String]) -> [String] {
        words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

/// The faults that a trial's figures show, and the figures that are missing: without them a fault may be there unseen.
package struct LoadingFaults: Hashable, Sendable {
    /// What is wrong; empty where nothing is known to be.
    package fileprivate(set) var found: [String] = []
    /// The names of the figures that had to be there.
    package fileprivate(set) var unknown: [String] = []

    private let figures: [String: Double]

    fileprivate init(of figures: [String: Double]) {
        self.figures = figures
    }

    /// Whether all figures are there, and nothing is wrong by them.
    package var isNone: Bool { found.isEmpty && unknown.isEmpty }

    fileprivate mutating func name(_ words: String, where figure: String, isAbove most: Double) {
        name(words, where: [figure]) { $0[0] > most }
    }

    fileprivate mutating func name(_ words: String, where names: [String], _ isWrong: ([Double]) -> Bool) {
        let missing = names.filter { figures[$0] == nil && !unknown.contains($0) }
        unknown += missing
        let values = names.compactMap { figures[$0] }
        if values.count == names.count, isWrong(values) { found.append(words) }
    }
}

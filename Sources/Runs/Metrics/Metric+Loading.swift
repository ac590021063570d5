// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TrialKit

extension Metric {
    /// How many pictures were decoded.
    static let scenarioDecodes = played(
        "scenario_decodes", short: "decodes", .ratio, "how many pictures a scenario decoded", better: .neither)
    /// The most decodes at one time.
    static let scenarioMostDecodes = played(
        "scenario_most_decodes", short: "most_decodes", .ratio, "the most pictures that were decoded at one time")

    /// The anonymous peak over what the visible cells take, without what no loader can do without.
    ///
    /// What is taken off is the same however many pictures a policy decodes at once: one that decodes more has the more over
    /// the same visible pictures.
    package static let galleryPeak = Metric(
        "gallery_peak_ratio", short: "gallery_peak", .ratio,
        "gallery: (anonymous peak growth − pieces of downloads − the costliest decode of one picture) ÷ pictures visible"
    ) { trial in
        guard let figures = trial.report?.scenario?.figures, let visible = figures["gallery_visible_bytes"],
            visible > 0,
            let pieces = figures["gallery_pieces_bytes"], let held = figures["gallery_must_hold_bytes"],
            let peak = trial.peakAnonymousGrowth
        else { return nil }
        return (Double(peak.rawValue) - pieces - held) / visible
    }
    /// The anonymous peak over what the visible cells take alone.
    static let galleryPeakOfVisible = Metric(
        "gallery_peak_of_visible_ratio", short: "gallery_peak_of_visible", .ratio,
        "gallery: anonymous peak growth ÷ pictures visible at their cells' size"
    ) { trial in
        guard let visible = trial.report?.scenario?.figures["gallery_visible_bytes"], visible > 0,
            let peak = trial.peakAnonymousGrowth
        else { return nil }
        return Double(peak.rawValue) / visible
    }
    /// What the visible cells take.
    static let galleryVisible = played(
        "gallery_visible_bytes", short: "visible", .bytes,
        "gallery: the pictures visible at one time, at their cells' size, at the most", better: .neither)
    /// What decoding holds on its way.
    static let galleryInFlight = played(
        "gallery_in_flight_bytes", short: "in_flight", .bytes,
        "gallery: what the decodes under way hold by the decoders' laws, at the most", better: .neither)
    /// What one decode holds.
    static let galleryMustHold = played(
        "gallery_must_hold_bytes", short: "must_hold", .bytes,
        "gallery: what the costliest decode of one picture holds at its cell's size, by the decoders' laws",
        better: .neither)
    /// The bitmaps alive.
    static let galleryBitmaps = played(
        "gallery_bitmaps_bytes", short: "bitmaps", .bytes, "gallery: the bitmaps alive at one time, by their ledger")
    /// What was fetched for nobody.
    static let galleryUnshown = played(
        "gallery_unshown_bytes", short: "unshown", .bytes,
        "gallery: the whole bodies that were fetched and whose pictures no cell ever showed")
    /// What runs on.
    static let galleryRunning = played(
        "gallery_running", short: "running", .ratio, "gallery: requests under way 1 s after the stop")
    /// What is loaded for nobody.
    static let galleryStale = played(
        "gallery_stale", short: "stale", .ratio, "gallery: loads under way at the stop that no visible cell waits for")
    /// What was loaded for nobody.
    static let galleryLate = played(
        "gallery_late", short: "late", .ratio, "gallery: pictures that came when their cell had another item")
    /// How long the visible cells wait.
    static let galleryShownAfter = played(
        "gallery_shown_after_ns", short: "shown_after", .nanoseconds,
        "gallery: how long after the stop every visible cell shows its picture")
    /// Pictures that are not the cell's own.
    static let galleryWrong = played(
        "gallery_wrong_pictures", short: "wrong_pictures", .ratio,
        "gallery: how often a cell showed a picture that is not its own, by URL, bytes or pixels")
    /// Pictures that could not be had.
    static let galleryFailures = played(
        "gallery_failures", short: "failures", .ratio,
        "gallery: fetches that failed, also for cells that are gone, without those that were cancelled")
    /// Fallback pictures.
    static let galleryFallbacks = played(
        "gallery_fallbacks", short: "fallbacks", .ratio,
        "gallery: how often a cell showed the fallback picture, because its own cannot be decoded", better: .neither)
    /// How often cells were used.
    static let galleryReuses = played(
        "gallery_reuses", short: "reuses", .ratio, "gallery: how often a cell was given an item", better: .neither)

    /// Hits of the memory cache.
    static let cacheMemoryHits = played(
        "cache_memory_hit_ratio", short: "memory_hits", .ratio,
        "cache: hits in memory ÷ pictures asked for again at once", better: .higher)
    /// Hits of the file cache.
    static let cacheFileHits = played(
        "cache_file_hit_ratio", short: "file_hits", .ratio,
        "cache: hits in files ÷ pictures asked for after a restart", better: .higher)
    /// Revalidated images.
    static let cacheRevalidated = played(
        "cache_revalidated_ratio", short: "revalidated", .ratio,
        "cache: answers without a body ÷ pictures asked whether they still hold", better: .higher)
    /// The cost of a file hit.
    package static let cacheHitCopies = played(
        "cache_file_hit_copies_ratio", short: "file_hit_k", .ratio,
        "cache: anonymous memory that hits in files hold, read whole, ÷ their sizes (0 mapped, 1 read)")
    /// Requests for one URL.
    static let cacheRequestsForOne = played(
        "cache_requests_for_one", short: "requests_for_one", .ratio,
        "cache: requests for one URL that 12 ask for at the same time")
    /// What the memory cache held.
    static let cacheHeld = played(
        "cache_held_bytes", short: "cache_held", .bytes, "cache: what the memory cache really held, at the most",
        better: .neither)
    /// The limit of the memory cache.
    static let cacheLimit = played(
        "cache_limit_bytes", short: "cache_limit", .bytes, "cache: the limit of the memory cache", better: .neither)
    /// What was held over the limit.
    package static let cacheHeldRatio = played(
        "cache_held_ratio", short: "held_of_limit", .ratio, "cache: what the memory cache really held ÷ its limit")
    /// What was held above the limit.
    static let cacheOvershoot = played(
        "cache_overshoot_bytes", short: "overshoot", .bytes, "cache: what the memory cache held above its limit")

    /// What the folder held above the limit of files.
    static let cacheFilesOvershoot = played(
        "cache_files_overshoot_bytes", short: "files_overshoot", .bytes,
        "cache: what lay in the folder above the limit of files, what was being written among it")

    /// How many cells got a picture.
    static let coalescePictures = played(
        "coalesce_pictures", short: "pictures", .ratio,
        "coalesce: how many of 12 cells got the picture, of which one left",
        better: .higher)
    /// The bitmaps of one picture.
    package static let coalesceBitmaps = played(
        "coalesce_bitmaps_ratio", short: "bitmaps_of_one", .ratio,
        "coalesce: the bitmaps alive at one time ÷ one picture")
}

// SPDX-License-Identifier: Apache-2.0

extension ScenarioFigures {
    /// A list that scrolls.
    static let gallery = ScenarioFigures(
        scenario: "gallery", question: "what does a list of pictures hold beside what is visible?",
        columns: [
            Column("peak ÷ visible", .galleryPeakOfVisible, .ratio),
            Column("beyond one decode", .galleryPeak, .ratio),
            Column("visible", .galleryVisible, .size), Column("one decode", .galleryMustHold, .size),
            Column("in flight", .galleryInFlight, .size),
            Column("bitmaps", .galleryBitmaps, .size), Column("requests", .scenarioRequests, .count),
            Column("never shown", .galleryUnshown, .size), Column("late", .galleryLate, .count),
            Column("stale at the stop", .galleryStale, .count),
            Column("running 1 s after", .galleryRunning, .count),
            Column("shown after, ms", .galleryShownAfter, .milliseconds),
            Column("decodes at once", .scenarioMostDecodes, .count), Column("decodes", .scenarioDecodes, .count),
            Column("cells reused", .galleryReuses, .count), Column("failed", .galleryFailures, .count, decides: .one),
            Column("fallbacks", .galleryFallbacks, .count), Column("wrong", .galleryWrong, .count, decides: .one),
        ],
        legend: [
            "Peaks are anonymous, in MiB like all sizes. *Visible*: the pictures in sight at one time, at the size of their",
            "cells; *in flight*: what decodes under way hold by the decoders' laws (the scaled step; of a progressive JPEG its",
            "coefficients). *Beyond one decode*: (peak − *one decode* − 64 KiB for each download at once) ÷ visible, where *one",
            "decode* is what the costliest picture of the list takes by itself, which any decoder has to hold. *Never shown*",
            "counts whole bodies; *late* pictures and *stale* loads are for cells that are gone; *failed* fetches were not",
            "cancelled. Two items of the list are no pictures and show the fallback.",
        ], verdict: { LoadingVerdict.words(of: $0, LoadingVerdict.gallery) })

    /// The same pictures again.
    static let cache = ScenarioFigures(
        scenario: "cache", question: "who answers when the same pictures are asked for again, and what does it hold?",
        columns: [
            Column("file hits after a restart", .cacheFileHits, .percent),
            Column("k of a file hit", .cacheHitCopies, .ratio, decides: DecidingStep(0.02, visible: 0.1)),
            Column("memory hits", .cacheMemoryHits, .percent), Column("revalidated", .cacheRevalidated, .percent),
            Column("requests for one URL", .cacheRequestsForOne, .count, decides: .one),
            Column("requests", .scenarioRequests, .count, decides: .one),
            Column("limit", .cacheLimit, .size), Column("held", .cacheHeld, .size),
            Column("held ÷ limit", .cacheHeldRatio, .ratio), Column("over the limit", .cacheOvershoot, .size),
            Column("files over their limit", .cacheFilesOvershoot, .size),
        ],
        legend: [
            "The file cache is filled by another process before the trial. Then all pictures are asked for (file hits), the last",
            "four again (memory hits), all with their entity tags (revalidated), and one by 12 at once, fetched anew.",
            "*k of a file hit*: the anonymous memory that all hits hold together, read whole, ÷ their sizes, weighed in a",
            "further process. What lies in the folder above its limit is what was being written.",
        ], verdict: { LoadingVerdict.words(of: $0, LoadingVerdict.cache) })

    /// One picture for many.
    static let coalesce = ScenarioFigures(
        scenario: "coalesce", question: "what do 12 cells with the same picture cost?",
        columns: [
            Column("requests", .scenarioRequests, .count, decides: .one),
            Column("decodes", .scenarioDecodes, .count, decides: .one),
            Column("pictures", .coalescePictures, .count), Column("bitmaps ÷ one picture", .coalesceBitmaps, .ratio),
        ],
        legend: [
            "12 ask at once, and one leaves as soon as its request is under way: 11 pictures are right. Bitmaps include the step",
            "that the decoder scales to.",
        ],
        verdict: { LoadingVerdict.words(of: $0, LoadingVerdict.coalesce) })
}

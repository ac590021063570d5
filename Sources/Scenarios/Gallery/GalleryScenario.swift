// SPDX-License-Identifier: Apache-2.0

import ImageLoading
package import TrialKit

/// A scenario with a scrolling list of pictures: what is held, fetched and left running beyond the visible.
package struct GalleryScenario: Scenario {
    package let name = "gallery"
    package let summary =
        "a list of pictures in 3 columns scrolls along a seeded trace; cells are reused, under a loader's policy"
    package let usualAsset: String? = "gallery"
    package let needs = ScenarioNeeds(abilities: [.concurrency], body: true, set: true, loader: true, cancels: true)
    package var loaders: [LoaderDeclaration] { LoaderPolicy.all.map(\.declaration) }

    package let variants = [
        ScenarioVariant(Variant.noCancel.rawValue, "cells that are reused cancel nothing", isControl: true),
        ScenarioVariant(Variant.noDecodeLimit.rawValue, "decodes without a limit of concurrency", isControl: true),
        ScenarioVariant(Variant.fullSize.rawValue, "decodes pictures at their own size", isControl: true),
    ]

    enum Variant: String {
        case noCancel = "no-cancel"
        case noDecodeLimit = "no-decode-limit"
        case fullSize = "full-size"

        func change(_ policy: inout LoaderPolicy) {
            switch self {
            case .noCancel: policy.cancelling = .manual
            case .noDecodeLimit:
                policy.decodes = .none
                policy.decodeMemory = .unlimited
                policy.downloadsAtOnce = nil
            case .fullSize: policy.downsampling = .none
            }
        }
    }

    package init() {}

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        try GalleryPlayer(stage, variant: stage.choice.variant.flatMap(Variant.init(rawValue:)))
    }
}

extension FigureDeclaration {
    static func decodes(suspect: SuspectLimit? = nil, decides: DecidingStep? = nil) -> FigureDeclaration {
        FigureDeclaration(
            "scenario_decodes", short: "decodes", .ratio, "how many pictures a scenario decoded", better: .neither,
            heading: "decodes", style: .count, decides: decides, suspect: suspect)
    }
}

extension GalleryScenario {
    package var question: String? { "how much memory does a list of pictures hold besides the visible ones?" }

    package var figures: [FigureDeclaration] { Self.peaks + Self.loads + Self.pictures }

    /// The maximum of simultaneous decodes among the policies.
    private static let mostDecodes = 6.0

    private static let peaks = [
        FigureDeclaration(
            "gallery_peak_of_visible_ratio", short: "gallery_peak_of_visible", .ratio,
            "gallery: anonymous peak growth ÷ pictures visible at their cells' size", heading: "peak ÷ visible",
            quotient: FigureQuotient(of: "peak_anonymous_growth_bytes", by: ["gallery_visible_bytes"])),
        // The deduction is the same however many pictures a policy decodes at once, so that a policy that decodes more
        // has a higher ratio.
        FigureDeclaration(
            "gallery_peak_ratio", short: "gallery_peak", .ratio,
            "gallery: (anonymous peak growth − pieces of downloads − the costliest decode of one picture) ÷ pictures visible",
            heading: "beyond one decode",
            quotient: FigureQuotient(
                of: "peak_anonymous_growth_bytes", less: ["gallery_pieces_bytes", "gallery_must_hold_bytes"],
                by: ["gallery_visible_bytes"])),
        FigureDeclaration(
            "gallery_visible_bytes", short: "visible", .bytes,
            "gallery: the pictures visible at one time, at their cells' size, at the most", better: .neither,
            heading: "visible"),
        FigureDeclaration(
            "gallery_must_hold_bytes", short: "must_hold", .bytes,
            "gallery: memory of the most expensive decode of one picture at its cell's size, by the decoders' formulas",
            better: .neither, heading: "one decode"),
        FigureDeclaration(
            "gallery_in_flight_bytes", short: "in_flight", .bytes,
            "gallery: maximum memory of concurrent decodes, by the decoders' formulas", better: .neither,
            heading: "in flight"),
        FigureDeclaration(
            "gallery_bitmaps_bytes", short: "bitmaps", .bytes,
            "gallery: the bitmaps alive at one time, by their ledger", heading: "bitmaps"),
    ]

    private static let loads = [
        .requests(),
        FigureDeclaration(
            "gallery_unshown_bytes", short: "unshown", .bytes,
            "gallery: complete bodies whose pictures were never shown", heading: "never shown"
        ),
        FigureDeclaration(
            "gallery_ran_on", short: "ran_on", .ratio, "gallery: requests that were cancelled and ran on to their end",
            heading: "ran on", style: .count),
        FigureDeclaration(
            "gallery_late", short: "late", .ratio, "gallery: pictures that came when their cell had another item",
            heading: "late", style: .count),
        FigureDeclaration(
            "gallery_stale", short: "stale", .ratio,
            "gallery: loads under way at the stop that no visible cell waits for", heading: "stale at the stop",
            style: .count),
        FigureDeclaration(
            "gallery_running", short: "running", .ratio, "gallery: requests under way 1 s after the stop",
            heading: "running 1 s after", style: .count,
            suspect: SuspectLimit(above: 0, "requests run on after the stop")),
        FigureDeclaration(
            "gallery_shown_after_ns", short: "shown_after", .nanoseconds,
            "gallery: how long after the stop every visible cell shows its picture", heading: "shown after, ms"),
    ]

    private static let pictures = [
        FigureDeclaration(
            "scenario_most_decodes", short: "most_decodes", .ratio,
            "the most pictures that were decoded at one time", heading: "concurrent decodes", style: .count,
            suspect: SuspectLimit(above: mostDecodes, "no limit of decodes")),
        .decodes(),
        FigureDeclaration(
            "gallery_reuses", short: "reuses", .ratio, "gallery: how often a cell was given an item", better: .neither,
            heading: "cells reused", style: .count),
        FigureDeclaration(
            "gallery_failures", short: "failures", .ratio,
            "gallery: fetches that failed, also for cells that are gone, without those that were cancelled",
            heading: "failed", style: .count, decides: .one, suspect: SuspectLimit(above: 0, "fetches failed")),
        FigureDeclaration(
            "gallery_fallbacks", short: "fallbacks", .ratio,
            "gallery: how often a cell showed the fallback picture, because its own cannot be decoded",
            better: .neither,
            heading: "fallbacks", style: .count),
        FigureDeclaration(
            "gallery_wrong_pictures", short: "wrong_pictures", .ratio,
            "gallery: how often a cell showed a picture that is not its own, by URL, bytes or pixels", heading: "wrong",
            style: .count, decides: .one, suspect: SuspectLimit(above: 0, "shows wrong pictures")),
    ]

    package var legend: [String] {
        [
            "Peaks are anonymous, in MiB like all sizes. *Visible*: the pictures in sight at one time, at the size of their",
            "cells; *in flight*: concurrent decodes, by the decoders' formulas (the scaled step; of a progressive JPEG its",
            "coefficients). *Beyond one decode*: (peak − *one decode* − 64 KiB for each concurrent download) ÷ visible, where",
            "*one decode* is the most expensive picture of the list alone, which any decoder has to hold. *Never shown* counts",
            "complete bodies, *ran on* those of requests that were cancelled; *late* pictures and *stale* loads are for cells that are gone; *failed* fetches were not",
            "cancelled. Two items of the list are not pictures and show the fallback.",
        ]
    }

    /// The maximum of bitmaps relative to the visible ones: visible pictures, a screen of cache, decoder steps.
    private static let mostBitmaps = 4.0
    /// The maximum share of late pictures: those on their last steps when their item left.
    private static let mostLate = 0.05
    /// The maximum share of cancelled requests that end whole: up to 0.08 at the last moment, from 0.2 where they run on.
    ///
    /// In a mode that is known to end them up to 0.16 beside many busy processes, which come to the cancelling late.
    private static let mostRunOn = (known: 0.5, otherwise: 0.15)
    /// The maximum share of the fetched bytes that is never shown: up to 0.2 where requests end.
    ///
    /// It is held against a loader that goes on; others exceed it where a busy machine does not decode in time what came.
    private static let mostUnshown = 0.5

    package static func conclusions(
        of figures: [String: Double], _ conduct: Cancellation.Conduct = .runsOn
    ) -> [String] {
        let mostRunOn = conduct == .ends ? mostRunOn.known : mostRunOn.otherwise
        func figure(_ name: String) -> Double { figures[name] ?? 0 }
        var words: [String] = []
        if figure("gallery_undecoded") > 0 { words.append("shows fallbacks for pictures") }
        if figure("gallery_stale") > 0 || figure("gallery_late") > mostLate * figure("gallery_reuses") {
            words.append("loads for cells that are gone")
        }
        if figure("gallery_ran_on") > mostRunOn * figure("scenario_requests") {
            words.append("cancelled requests run on")
        }
        if !words.isEmpty, figure("gallery_unshown_bytes") > mostUnshown * figure("gallery_fetched_bytes") {
            words.append("fetches mostly what is never shown")
        }
        if figure("gallery_bitmaps_bytes") > mostBitmaps * figure("gallery_visible_bytes") {
            words.append("bitmaps of many times the visible size")
        }
        return words
    }
}

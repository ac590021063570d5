// SPDX-License-Identifier: Apache-2.0

extension ConcurrencyScenario {
    package var question: String? { "how much concurrency is worth its memory?" }

    package var figures: [FigureDeclaration] {
        [
            FigureDeclaration(
                "download_slots_ratio", short: "download_slots", .ratio,
                "concurrency: maximum number of concurrent downloads", better: .neither, heading: "slots", style: .count
            ),
            FigureDeclaration(
                "peak_per_slot_bytes", short: "slot_peak", .bytes,
                "concurrency: peak growth for each allowed concurrent download", heading: "peak per slot",
                style: .growth,
                quotient: FigureQuotient(of: "peak_resident_growth_bytes", by: ["download_slots_ratio"])),
            FigureDeclaration(
                "slots_duration_ns", short: "slots_time", .nanoseconds, "concurrency: time until all are done",
                heading: "time, ms", quotient: FigureQuotient(of: "fetch_duration_ns")),
            FigureDeclaration(
                "most_downloads_ratio", short: "most_downloads", .ratio,
                "concurrency: most concurrent downloads", better: .neither, heading: "concurrent downloads",
                style: .count),
            FigureDeclaration(
                "most_decodes_ratio", short: "slot_decodes", .ratio,
                "concurrency: most concurrent decodes", better: .neither, heading: "concurrent decodes",
                style: .count),
        ]
    }

    package var legend: [String] {
        [
            "5x2: five concurrent downloads and two decodes. A download frees its slot when its body is complete: bodies that",
            "wait for a decode are held. The last columns are the most concurrent ones; clients may open a connection for",
            "each slot. One queue drives every session of URLSession on Linux, so that its times show that queue.",
        ]
    }
}

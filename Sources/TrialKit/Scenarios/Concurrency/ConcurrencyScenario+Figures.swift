// SPDX-License-Identifier: Apache-2.0

extension ConcurrencyScenario {
    package var question: String? { "how many at once are worth their memory?" }

    package var figures: [FigureDeclaration] {
        [
            FigureDeclaration(
                "download_slots_ratio", short: "download_slots", .ratio,
                "concurrency: how many downloads at once are allowed", better: .neither, heading: "slots", style: .count
            ),
            FigureDeclaration(
                "peak_per_slot_bytes", short: "slot_peak", .bytes,
                "concurrency: peak growth for each download that may run at once", heading: "peak per slot",
                style: .growth,
                quotient: FigureQuotient(of: "peak_resident_growth_bytes", by: ["download_slots_ratio"])),
            FigureDeclaration(
                "slots_duration_ns", short: "slots_time", .nanoseconds, "concurrency: time until all are done",
                heading: "time, ms", quotient: FigureQuotient(of: "fetch_duration_ns")),
            FigureDeclaration(
                "most_downloads_ratio", short: "most_downloads", .ratio,
                "concurrency: how many downloads there were at once", better: .neither, heading: "downloads at once",
                style: .count),
            FigureDeclaration(
                "most_decodes_ratio", short: "slot_decodes", .ratio,
                "concurrency: how many decodes there were at once", better: .neither, heading: "decodes at once",
                style: .count),
        ]
    }

    package var legend: [String] {
        [
            "5x2: five downloads and two decodes at once. A download gives its slot back when its body is there: bodies that",
            "wait for a decode are held. The last columns are how many there were at once; clients may open a connection for",
            "each slot. One queue drives every session of URLSession on Linux, so that its times show that queue.",
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The scenario that every server plays, declared by the harness; its count is how often requests are made.
package enum ServerScenario {
    package static let declaration = ScenarioDeclaration(
        name: Case.servedScenario,
        summary: "a server is asked N times in a row, by as many clients as --concurrency says",
        variants: [], usualCount: 1, needs: ScenarioNeeds(concurrency: true),
        question: "what does a request cost the server, and what does it leave?",
        figures: [
            .requests(),
            FigureDeclaration(
                "charge_growth_bytes", short: "charge_growth", .bytes,
                "of a server: growth of what its control group is charged, with the kernel's buffers of its sockets",
                heading: "charge, MiB", style: .growth, quotient: FigureQuotient(of: "charged_growth_bytes")),
            FigureDeclaration(
                "sockets_each_bytes", short: "sockets_each", .bytes,
                "of a server: what its control group is charged for sockets at the peak, for each request in flight",
                heading: "sockets a request, MiB",
                quotient: FigureQuotient(of: "charged_sockets_bytes", by: ["requests_in_flight"])),
            FigureDeclaration(
                "left_slope_bytes", short: "left", .bytes,
                "of a server: anonymous memory that each request leaves behind, from a series of them (Theil–Sen)",
                heading: "left, B a request", style: .bytes, decides: DecidingStep(256, visible: 1024),
                slopeOf: "anonymous_bytes"),
            FigureDeclaration(
                "request_cpu_ns", short: "request_cpu", .nanoseconds, "of a server: processor time for each request",
                heading: "CPU a request, ms", quotient: FigureQuotient(of: "fetch_cpu_ns", by: ["scenario_requests"])),
            FigureDeclaration(
                "first_byte_ns", short: "first_byte", .nanoseconds,
                "of a server: median time to the first byte of an answer, as its client saw it",
                heading: "first byte, ms"),
            FigureDeclaration(
                "last_byte_ns", short: "last_byte", .nanoseconds,
                "of a server: median time to the last byte of an answer", heading: "last byte, ms"),
            FigureDeclaration(
                "descriptors_left", short: "descriptors_left", .ratio,
                "of a server: descriptors open at the end, over those at the mark", heading: "descriptors left",
                style: .count),
            FigureDeclaration(
                "requests_in_flight", .ratio, "of a server: the most requests in flight together",
                better: .neither),
            FigureDeclaration(
                "stop_ns", short: "stop", .nanoseconds, "of a server: from SIGTERM to its end", better: .neither),
        ],
        legend: [
            "Growth counts from a mark after warm-up requests. Times are those of the clients, which are not measured.",
            "*charge*: what a container would be charged, with what its sockets hold for clients that have not read it.",
            "*left*: what each request leaves, from --requests in a row.",
        ])
}

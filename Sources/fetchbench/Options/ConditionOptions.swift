// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The flags that say under which conditions assets are fetched: each is a dimension of the plan.
struct ConditionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many fetches at once: 1,5,10.", valueName: "counts"))
    var concurrency: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many connections to one host a session may open; each mode has its own limit without it.",
            valueName: "count"))
    var maxConnections: Int?

    @Option(
        name: .customLong("consumer-delay"),
        help: ArgumentHelp("How long the consumer takes for each piece of a body: 0,200us.", valueName: "durations"))
    var consumerDelays: [String] = []

    @Option(
        name: .customLong("session"),
        help: ArgumentHelp("Configurations of URLSession: ephemeral, default.", valueName: "kinds"))
    var sessions: [String] = []

    @Option(
        name: .customLong("transfer"),
        help: ArgumentHelp("How the embedded origin sends bodies: length, chunked, gzip.", valueName: "encodings"))
    var transfers: [String] = []

    @Option(
        name: .customLong("scheme"),
        help: ArgumentHelp("How the embedded origin is spoken with: http, https.", valueName: "schemes"))
    var schemes: [String] = []

    /// Whether none of them was given.
    var isEmpty: Bool {
        maxConnections == nil && [concurrency, consumerDelays, sessions, transfers, schemes].allSatisfy(\.isEmpty)
    }
}

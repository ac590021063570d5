// SPDX-License-Identifier: Apache-2.0

package struct ProxyScenario: AccompaniedScenario {
    package let name = "proxy"
    package let summary =
        "a server in the measured process passes bodies on to 50 slow readers outside of it, N requests in all"
    package let usualCount: Int? = 1000
    package let usualAsset: String? = "64KiB"
    package let needs = ScenarioNeeds(abilities: [.concurrency], body: true)
    package let variants = [
        ScenarioVariant(Variant.close.rawValue, "each request of a reader opens a new connection"),
        ScenarioVariant(
            Variant.server.rawValue, "forwards a body fetched before the mark: the cost of the server itself"),
        ScenarioVariant(
            Variant.buffered.rawValue, "holds each body whole before its first byte is passed on, on purpose",
            isControl: true),
    ]

    /// The differences from relaying bodies over connections that stay open.
    enum Variant: String {
        /// Each request has its own connection.
        case close
        /// Bodies are fetched beforehand.
        case server
        /// Each body is collected before it is passed on.
        case buffered
    }

    static let readerCount = 50
    /// The requests for the 1 KiB asset before the mark: the pools of clients take some 600 to fill.
    static let warmUpCount = 1000
    /// The requests before the first reading, at most a quarter of all: by then every reader has had bodies, and their
    /// memory is allocated.
    static let settlingCount = 1000
    /// The largest number of readings, evenly over the requests.
    ///
    /// It is large because the memory of 50 bodies in transit changes all the time, and only the lowest of several
    /// readings shows what stays.
    static let readingCount = 1000

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        try ProxyPlayer(
            self, on: stage, variant: stage.choice.variant.flatMap(Variant.init(rawValue:)),
            count: stage.choice.count ?? usualCount ?? 1)
    }

    package func accompany() throws {
        try ReadersProcess().run()
    }
}

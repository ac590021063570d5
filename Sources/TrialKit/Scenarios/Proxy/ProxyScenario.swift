// SPDX-License-Identifier: Apache-2.0

/// A server in the measured process that passes on to slow clients what it fetches: what a request leaves behind, and
/// how much of the bodies is in memory meanwhile.
package struct ProxyScenario: AccompaniedScenario {
    package let name = "proxy"
    package let summary =
        "a server in the measured process passes bodies on to 50 slow readers outside of it, N requests in all"
    package let usualCount: Int? = 1000
    package let usualAsset: String? = "64KiB"
    package let needs = ScenarioNeeds(abilities: [.concurrency], body: true)
    package let variants = [
        ScenarioVariant(Variant.close.rawValue, "each request of a reader has a connection of its own"),
        ScenarioVariant(
            Variant.server.rawValue, "passes on a body that was fetched before the mark: what the server itself costs"),
        ScenarioVariant(
            Variant.buffered.rawValue, "holds each body whole before its first byte is passed on, on purpose",
            isControl: true),
    ]

    /// What differs from passing bodies on over connections that stay open.
    enum Variant: String {
        /// Readers connect anew for each request.
        case close
        /// Nothing is fetched while it is played.
        case server
        /// Every body is collected first.
        case buffered
    }

    /// How many readers there are at once.
    static let readerCount = 50
    /// How many requests for the 1 KiB asset come before the mark: pools of clients take some 600 to fill.
    static let warmUpCount = 1000
    /// After how many requests the process is read for the first time, or after a quarter of them: every reader has had
    /// bodies by then, and what they take is there.
    static let settlingCount = 1000
    /// How often the process is read at most, evenly over the requests: often, because what 50 bodies on their way take
    /// changes all the time, and only the lowest of several readings shows what stays.
    static let readingCount = 1000

    package init() {}

    package func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer {
        try ProxyPlayer(
            self, on: stage, variant: stage.choice.variant.flatMap(Variant.init(rawValue:)),
            count: stage.choice.count ?? usualCount ?? 1)
    }

    package func accompany() throws {
        try ReadersProcess().run()
    }
}

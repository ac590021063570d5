// SPDX-License-Identifier: Apache-2.0

/// A named pace of the embedded origin: what a link of a kind would do to one request after another.
///
/// It is a rate and a round trip for each request, and no more of a network: no handshake waits, no packet is lost.
package struct NetworkProfile: Hashable, Sendable {
    /// The word of `--profile`.
    package let name: String
    /// How fast the origin sends, as `--rate` words it.
    package let rate: String
    /// How long it waits before each answer, in nanoseconds.
    package let latencyNanoseconds: Int
    /// Where both figures are from, and what they are there.
    package let source: String

    /// Every profile, from slow to fast.
    package static let all = [
        // 1.6 Mbit/s: 200,000 bytes a second.
        NetworkProfile(
            name: "3g", rate: "200000", latencyNanoseconds: 300_000_000,
            source: "WebPageTest's 3G: 1.6 Mbit/s, 300 ms round trip"),
        // 12 Mbit/s: 1,500,000 bytes a second.
        NetworkProfile(
            name: "lte", rate: "1500000", latencyNanoseconds: 70_000_000,
            source: "WebPageTest's LTE: 12 Mbit/s, 70 ms round trip"),
        // 30 Mbit/s: 3,750,000 bytes a second.
        NetworkProfile(
            name: "wifi", rate: "3750000", latencyNanoseconds: 40_000_000,
            source: "WIFI (good) of the tool Comcast: 30 Mbit/s, 40 ms"),
    ]
}

// SPDX-License-Identifier: Apache-2.0

/// A named pace of the embedded origin: a rate and a round trip for each request.
///
/// It simulates nothing else of a network: no handshake delays, no packet loss.
package struct NetworkProfile: Hashable, Sendable {
    /// The value of `--profile`.
    package let name: String
    /// The rate, in the form of `--rate`.
    package let rate: String
    /// The delay before each answer, in nanoseconds.
    package let latencyNanoseconds: Int
    /// The source of both figures.
    package let source: String

    /// Every profile, from slow to fast.
    package static let all = [
        NetworkProfile(
            name: "3g", rate: "200000", latencyNanoseconds: 300_000_000,
            source: "WebPageTest's 3G: 1.6 Mbit/s, 300 ms round trip"),
        NetworkProfile(
            name: "lte", rate: "1500000", latencyNanoseconds: 70_000_000,
            source: "WebPageTest's LTE: 12 Mbit/s, 70 ms round trip"),
        NetworkProfile(
            name: "wifi", rate: "3750000", latencyNanoseconds: 40_000_000,
            source: "WIFI (good) of the tool Comcast: 30 Mbit/s, 40 ms"),
    ]
}

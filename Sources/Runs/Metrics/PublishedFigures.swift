// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Texts

/// The published figures of this comparison for another system, with their decomposition.
///
/// Other systems count memory differently, so these MiB never share a column with ours. Only k, the number of encoded
/// copies held, is comparable.
package struct PublishedFigures: Hashable, Sendable {
    /// The published figures of one way to fetch.
    package struct Fetch: Hashable, Sendable {
        /// The corresponding mode of this project.
        package let mode: String
        package let name: String
        /// The memory growth without rendering, in MiB.
        package let growth: Double
        /// The memory growth with rendering, in MiB.
        package let renderedGrowth: Double
        /// The encoded copies held (k): the rest of both growths, in whole copies.
        package let copies: Int
    }

    /// The operating system.
    package let system: String
    package let source: String
    /// The width of the picture, in pixels.
    package let width: Int
    /// The height of the picture, in pixels.
    package let height: Int
    /// The size of the encoded picture, in MiB.
    package let encoded: Double
    /// The rest of the growth with rendering, beside bitmap and encoded bytes, in MiB.
    package let rest: Double
    package let fetches: [Fetch]

    /// The size of the picture as a bitmap of four bytes a pixel, in MiB.
    package var bitmap: Double { Double(width * height * 4) / 1_048_576 }

    /// Returns the encoded copies held by a mode, or `nil` if no figures were published.
    package func copies(of mode: String) -> Int? {
        fetches.first { $0.mode == mode }?.copies
    }

    /// The published figures of iOS.
    package static let iOS = PublishedFigures(
        system: "iOS", source: "the reference case of this comparison, on iOS over an app of 52 MB", width: 6000,
        height: 4000, encoded: 12.49, rest: 1.45,
        fetches: [
            Fetch(mode: "data", name: "data task", growth: 30, renderedGrowth: 118, copies: 2),
            Fetch(mode: "download", name: "download task", growth: 4, renderedGrowth: 93, copies: 0),
        ])
}

extension PublishedFigures {
    /// The fetched picture: `6000×4000 px, 12.49 MiB encoded, 91.55 MiB as a bitmap`.
    package var picture: String {
        "\(width)×\(height) px, \(Self.text(encoded)) MiB encoded, \(Self.text(bitmap)) MiB as a bitmap"
    }

    /// The published growths: `data task +30, with rendering +118; …`.
    package var growths: String {
        fetches.map { "\($0.name) +\(Self.text($0.growth)), with rendering +\(Self.text($0.renderedGrowth))" }
            .joined(separator: "; ")
    }

    /// The decomposition of the growths with rendering: `118 = 91.55 + 2 × 12.49 + 1.45; …`.
    package var decompositions: String {
        fetches.map {
            "\(Self.text($0.renderedGrowth)) = \(Self.text(bitmap)) + \($0.copies) × \(Self.text(encoded)) + \(Self.text(rest))"
        }.joined(separator: "; ")
    }

    /// Returns a number of MiB as published: without a fraction if it is whole.
    private static func text(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? ByteText.fixed(value, places: 2)
    }
}

// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Texts

/// Figures of this comparison that were published for another system, and how they decompose.
///
/// Its megabytes never share a column with ours: another system counts other things. What can be carried over is k, the
/// encoded copies held.
package struct PublishedFigures: Hashable, Sendable {
    /// What was published of one way to fetch.
    package struct Fetch: Hashable, Sendable {
        /// The mode that does the same here.
        package let mode: String
        /// What users call it.
        package let name: String
        /// By how much memory grew without rendering, in MiB.
        package let growth: Double
        /// The same with rendering.
        package let renderedGrowth: Double
        /// The encoded copies held (k): what is left of both, in whole copies.
        package let copies: Int
    }

    /// The system that they were taken on.
    package let system: String
    /// Where they come from.
    package let source: String
    /// The width of the picture, in pixels.
    package let width: Int
    /// Its height, in pixels.
    package let height: Int
    /// The size of its encoded bytes, in MiB.
    package let encoded: Double
    /// What is neither bitmap nor encoded bytes with rendering, in MiB.
    package let rest: Double
    /// Each way to fetch.
    package let fetches: [Fetch]

    /// The size of the picture as a bitmap of four bytes a pixel, in MiB.
    package var bitmap: Double { Double(width * height * 4) / 1_048_576 }

    /// The encoded copies that were held by the fetch of a mode, or `nil` where nothing was published of it.
    package func copies(of mode: String) -> Int? {
        fetches.first { $0.mode == mode }?.copies
    }

    /// The only figures that were published.
    package static let iOS = PublishedFigures(
        system: "iOS", source: "the reference case of this comparison, on iOS over an app of 52 MB", width: 6000,
        height: 4000, encoded: 12.49, rest: 1.45,
        fetches: [
            Fetch(mode: "data", name: "data task", growth: 30, renderedGrowth: 118, copies: 2),
            Fetch(mode: "download", name: "download task", growth: 4, renderedGrowth: 93, copies: 0),
        ])
}

extension PublishedFigures {
    /// What was fetched: `6000×4000 px, 12.49 MiB encoded, 91.55 MiB as a bitmap`.
    package var picture: String {
        "\(width)×\(height) px, \(Self.text(encoded)) MiB encoded, \(Self.text(bitmap)) MiB as a bitmap"
    }

    /// What was published: `data task +30, with rendering +118; …`.
    package var growths: String {
        fetches.map { "\($0.name) +\(Self.text($0.growth)), with rendering +\(Self.text($0.renderedGrowth))" }
            .joined(separator: "; ")
    }

    /// How the figures with rendering decompose: `118 = 91.55 + 2 × 12.49 + 1.45; …`.
    package var decompositions: String {
        fetches.map {
            "\(Self.text($0.renderedGrowth)) = \(Self.text(bitmap)) + \($0.copies) × \(Self.text(encoded)) + \(Self.text(rest))"
        }.joined(separator: "; ")
    }

    /// A number of MiB as it was published: without a fraction where it has none.
    private static func text(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? ByteText.fixed(value, places: 2)
    }
}

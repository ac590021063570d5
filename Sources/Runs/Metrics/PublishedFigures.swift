// SPDX-License-Identifier: Apache-2.0

/// The published memory figures of another system, with their source, and the copies of the file derived from them.
///
/// Other systems count memory differently, so the published megabytes never share a column with ours. Only copies are
/// comparable. The source has none: they are computed here, by our definition.
package struct PublishedFigures: Hashable, Sendable {
    /// The published growths of one way to fetch, in MB as published.
    package struct Fetch: Hashable, Sendable {
        package let mode: String
        package let name: String
        package let growth: Double
        package let renderedGrowth: Double
    }

    package let system: String
    package let title: String
    package let site: String
    package let address: String
    /// The memory of the app before a fetch, in MB as published.
    package let base: Double
    /// The width of the picture, in pixels.
    package let width: Int
    /// The height of the picture, in pixels.
    package let height: Int
    /// The size of the encoded picture, in MB as published.
    package let size: Double
    package let data: Fetch
    package let download: Fetch

    package static let iOS = PublishedFigures(
        system: "iOS", title: "How to download files with URLSession using Combine Publishers and Subscribers?",
        site: "theswiftdev.com",
        address: "https://theswiftdev.com/"
            + "how-to-download-files-with-urlsession-using-combine-publishers-and-subscribers/",
        base: 52, width: 6000, height: 4000, size: 13.1,
        data: Fetch(mode: "data", name: "data task", growth: 30, renderedGrowth: 118),
        download: Fetch(mode: "download", name: "download task", growth: 4, renderedGrowth: 93))
}

/// The size is read as decimal and the growths as MiB: the bitmap is 96 decimal MB, more than one of the growths.
extension PublishedFigures {
    private var fetches: [Fetch] { [data, download] }

    /// The size of the encoded picture, in MiB.
    package var encoded: Double { size * 1_000_000 / 1_048_576 }

    private var bitmapBytes: Double { Double(width * height * 4) }

    /// The size of the picture as a bitmap, in MiB.
    package var bitmap: Double { bitmapBytes / 1_048_576 }

    package func copies(of mode: String, rendered: Bool) -> Double? {
        fetches.first { $0.mode == mode }.map { copies(of: $0, rendered: rendered) }
    }

    private func copies(of fetch: Fetch, rendered: Bool) -> Double {
        rendered ? (fetch.renderedGrowth - bitmap) / encoded : fetch.growth / encoded
    }

    /// The published megabytes: `data task +30 MB, with rendering +118 MB; …; base 52 MB`.
    package var megabytes: String {
        let growths = fetches.map {
            "\($0.name) +\(Self.text($0.growth)) MB, with rendering +\(Self.text($0.renderedGrowth)) MB"
        }
        return (growths + ["base \(Self.text(base)) MB"]).joined(separator: "; ")
    }

    /// The published savings of the download task, in MB as published: `26 MB without rendering, 25 MB with it`.
    package var savings: String {
        let (plain, rendered) = (data.growth - download.growth, data.renderedGrowth - download.renderedGrowth)
        return "\(Self.text(plain)) MB without rendering, \(Self.text(rendered)) MB with it"
    }

    /// True if a picture is like the published one, with which alone its figures can be compared: of the same size in
    /// pixels, and encoded of the same size within 5 %.
    package func areComparable(with picture: PictureReading?, encodedIn byteCount: ByteCount?) -> Bool {
        guard let picture, picture.width == width, picture.height == height, let byteCount else { return false }
        return abs(Double(byteCount.rawValue) / (size * 1_000_000) - 1) <= 0.05
    }

    package var heading: String { "copies derived from published figures, \(system)" }

    /// The source, the published megabytes, and the derivation of copies, in short lines for every format.
    package var explanation: [String] {
        let (copies, rendered) = (text(of: fetches, rendered: false), text(of: fetches, rendered: true))
        return [
            "\(heading): computed here; the source has megabytes only.",
            "Source: \(title) (\(site)),",
            address,
            "Published, about: \(megabytes).",
            "Photo: \(width)×\(height) px, \(Self.text(size)) MB. No device, version of \(system) or gauge is named.",
            "Copies = growth ÷ size: \(copies); with rendering (growth − bitmap) ÷ size: \(rendered).",
            "Units are our reading: \(Self.text(size)) MB as decimal, \(Self.text(encoded)) MiB; the growths as MiB, since the",
            "bitmap is \(Self.text(bitmap)) MiB or \(Self.text(bitmapBytes / 1e6)) MB, more than one of the growths.",
        ]
    }

    private func text(of fetches: [Fetch], rendered: Bool) -> String {
        fetches.map { FigureText.ratio(copies(of: $0, rendered: rendered)) }.joined(separator: " and ")
    }

    private static func text(_ value: Double) -> String {
        if let whole = Int(exactly: value) { return "\(whole)" }
        let tenths = (value * 10).rounded() / 10
        return ByteText.fixed(value, places: value == tenths ? 1 : 2)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Measuring
import Origin
import Runs

/// The assets that can be named, with their descriptions for `list`; computed without generating any.
enum AssetSummaries {
    static var all: [(name: String, text: String)] {
        let gallery = LibraryImage.gallery
        let sizes = gallery.compactMap { ImageFacts.recorded[$0.name]?.byteCount }
        let (least, most) = (sizes.min() ?? 0, sizes.max() ?? 0)
        return LibraryImage.all.filter { !gallery.contains($0) }.map { ($0.name, text(of: $0)) }
            + gallery.prefix(1).map { ("\($0.name) …", text(of: $0) + "; there are \(gallery.count) of them") }
            + [
                (
                    AssetName.gallery.text,
                    "all \(gallery.count) of them, a set for scenarios: JPEG, PNG and WebP from "
                        + "\(ByteText.mebibytes(ByteCount(least))) to \(ByteText.mebibytes(ByteCount(most))), together "
                        + ByteText.mebibytes(ByteCount(sizes.reduce(0, +)))
                )
            ] + ComputedKind.allCases.map { ($0.example, $0.summary) }
    }

    private static func text(of image: LibraryImage) -> String {
        let kind =
            switch image.frame {
            case .baseline: "JPEG"
            case .progressive: "progressive JPEG"
            case .png: "PNG"
            case .webp: "WebP"
            }
        let size = ImageFacts.recorded[image.name].map { ", " + ByteText.mebibytes(ByteCount($0.byteCount)) } ?? ""
        return "\(image.width)×\(image.height) px \(kind)\(size), generated once"
    }
}

// SPDX-License-Identifier: Apache-2.0

import Runs

/// An image that is painted and encoded when first needed, and never shipped.
///
/// Painting is integer arithmetic from a seed, so every machine makes the same pixels. The JPEG encoder's SIMD and C
/// code agree to the bit, so every machine with that version also makes the same file.
package struct LibraryImage: Hashable, Sendable {
    package let name: String
    package let path: String
    package let frame: ImageFrame

    private let scene: LandscapePainter.Scene
    /// The quality of a lossy encoder, from 1 to 100.
    private let quality: Int

    package var width: Int { scene.width }
    package var height: Int { scene.height }
    package var header: ImageHeader { ImageHeader(width: width, height: height, frame: frame) }

    init(_ name: String, path: String, _ frame: ImageFrame, quality: Int, scene: LandscapePainter.Scene) {
        (self.name, self.path, self.frame, self.quality) = (name, path, frame, quality)
        self.scene = scene
    }

    /// The version of the cache, to be raised with every change of the pixels or of the encoders' settings.
    package static let generatorVersion = 1

    package struct Encoded: Sendable {
        package var bytes: [UInt8]
        package var pixelsSHA256: String

        package init(bytes: [UInt8], pixelsSHA256: String) {
            (self.bytes, self.pixelsSHA256) = (bytes, pixelsSHA256)
        }
    }

    /// Paints and encodes the image; throws ``FetchBenchError/Code/image``.
    ///
    /// 24 megapixels take a second or two, and 36 MB for the pixels meanwhile.
    package func encode() throws -> Encoded {
        var painter = LandscapePainter(scene)
        let planes = painter.paint()
        let bytes =
            switch frame {
            case .baseline: try JPEGEncoder.encode(planes, quality: quality, progressive: false)
            case .progressive: try JPEGEncoder.encode(planes, quality: quality, progressive: true)
            case .png: try PNGEncoder.encode(PicturePixels(planes))
            case .webp: try WebPEncoder.encode(PicturePixels(planes), quality: quality)
            }
        return Encoded(bytes: bytes, pixelsSHA256: planes.sha256)
    }
}

extension LibraryImage {
    package static let all = [hero, heroProgressive] + gallery

    /// A picture of the published photo's size (`PublishedFigures`): 24 megapixels, 13.1 MB (decimal).
    package static let hero = hero("hero", .baseline)

    /// The hero's coefficients in scans of rising detail.
    package static let heroProgressive = hero("hero-progressive", .progressive)

    private static func hero(_ name: String, _ frame: ImageFrame) -> LibraryImage {
        LibraryImage(
            name, path: "/assets/\(name).jpg", frame, quality: 96,
            scene: LandscapePainter.Scene(width: 6000, height: 4000, seed: 0, mood: .noon))
    }

    package static func named(_ name: String) -> LibraryImage? { all.first { $0.name == name } }

    /// The pictures of a gallery: distinct, with all shapes, sizes and formats in mixed order, like a user's.
    package static let gallery = zip(AssetName.pictures, entries).enumerated().map { index, picture in
        let (name, entry) = picture
        return LibraryImage(
            name, path: "/gallery/\(name.suffix(2)).\(entry.frame.fileExtension)", entry.frame, quality: entry.quality,
            scene: LandscapePainter.Scene(
                width: entry.width, height: entry.height, seed: UInt32(index + 1) &* 0x6C07_8965, mood: entry.mood))
    }

    private struct Entry {
        let width: Int, height: Int
        let frame: ImageFrame
        let quality: Int
        let mood: LandscapePainter.Mood

        init(_ width: Int, _ height: Int, _ frame: ImageFrame, _ quality: Int, _ mood: LandscapePainter.Mood) {
            (self.width, self.height, self.frame) = (width, height, frame)
            (self.quality, self.mood) = (quality, mood)
        }
    }

    private static let entries = [
        Entry(6000, 4000, .baseline, 96, .noon), Entry(3024, 4032, .baseline, 92, .dawn),
        Entry(4032, 3024, .progressive, 92, .overcast), Entry(3000, 3000, .baseline, 90, .desert),
        Entry(8000, 2000, .baseline, 88, .snow), Entry(640, 480, .baseline, 85, .noon),
        Entry(2448, 3264, .baseline, 90, .dawn), Entry(1600, 1200, .png, 100, .haze),
        Entry(3840, 2160, .baseline, 85, .overcast), Entry(1080, 1920, .baseline, 88, .night),
        Entry(2400, 1600, .webp, 85, .desert), Entry(1920, 1080, .progressive, 85, .snow),
        Entry(1080, 1080, .baseline, 88, .desert), Entry(2000, 3000, .progressive, 90, .noon),
        Entry(1280, 720, .baseline, 80, .overcast), Entry(1200, 1800, .webp, 80, .dawn),
        Entry(4000, 6000, .baseline, 93, .desert), Entry(1024, 1024, .png, 100, .snow),
        Entry(720, 1280, .baseline, 82, .haze), Entry(2048, 1536, .baseline, 90, .noon),
        Entry(4000, 1000, .webp, 80, .overcast), Entry(1536, 2048, .progressive, 88, .dawn),
        Entry(600, 800, .png, 100, .haze), Entry(1500, 1500, .webp, 85, .night),
        Entry(4608, 3456, .baseline, 88, .haze), Entry(1440, 2560, .baseline, 86, .snow),
        Entry(800, 600, .baseline, 80, .desert), Entry(3000, 4000, .progressive, 90, .snow),
        Entry(2560, 1440, .webp, 80, .noon), Entry(480, 640, .baseline, 88, .overcast),
        Entry(1200, 2400, .png, 100, .overcast), Entry(2160, 2160, .baseline, 92, .night),
        Entry(2400, 800, .png, 100, .haze), Entry(1080, 1350, .webp, 90, .haze),
        Entry(2592, 1944, .baseline, 90, .dawn), Entry(1350, 1080, .progressive, 85, .night),
    ]
}

/// The functions that make the images of the library, which tests replace.
package struct ImageFactory: Sendable {
    package var generatorVersion: Int
    package var encoderVersion: @Sendable (ImageFrame) -> String
    package var encode: @Sendable (LibraryImage) throws -> LibraryImage.Encoded
    package var facts: @Sendable (LibraryImage) -> ImageFacts?
    package var header: @Sendable ([UInt8]) throws -> ImageHeader

    package init(
        generatorVersion: Int, encoderVersion: @escaping @Sendable (ImageFrame) -> String,
        encode: @escaping @Sendable (LibraryImage) throws -> LibraryImage.Encoded,
        facts: @escaping @Sendable (LibraryImage) -> ImageFacts?,
        header: @escaping @Sendable ([UInt8]) throws -> ImageHeader
    ) {
        (self.generatorVersion, self.encoderVersion) = (generatorVersion, encoderVersion)
        (self.encode, self.facts, self.header) = (encode, facts, header)
    }

    package static let encoder = ImageFactory(
        generatorVersion: LibraryImage.generatorVersion, encoderVersion: { $0.encoderVersion },
        encode: { image in try image.encode() }, facts: { ImageFacts.recorded[$0.name] },
        header: { bytes in try ImageHeader(parsing: bytes) })
}

// SPDX-License-Identifier: Apache-2.0

/// An image that is painted and encoded when first needed, and never shipped.
///
/// Painting is integer arithmetic from a seed, so every machine makes the same pixels. The JPEG encoder's SIMD and C
/// code agree to the bit, so every machine with that version also makes the same file.
package struct LibraryImage: Hashable, Sendable {
    /// The argument of `--asset`.
    package let name: String
    package let path: String
    package let frame: ImageFrame

    private let scene: LandscapeScene
    /// The quality of a lossy encoder, from 1 to 100.
    private let quality: Int

    package var width: Int { scene.width }
    package var height: Int { scene.height }
    /// The expected header of its file.
    package var header: ImageHeader { ImageHeader(width: width, height: height, frame: frame) }

    init(_ name: String, path: String, _ frame: ImageFrame, quality: Int, scene: LandscapeScene) {
        self.name = name
        self.path = path
        self.frame = frame
        self.quality = quality
        self.scene = scene
    }

    /// The version of the cache, to be raised with every change of the pixels or of the encoders' settings.
    package static let generatorVersion = 1

    package struct Encoded: Sendable {
        package var bytes: [UInt8]
        /// The SHA-256 of the pixels passed to the encoder, in hexadecimal.
        package var pixelsSHA256: String

        package init(bytes: [UInt8], pixelsSHA256: String) {
            self.bytes = bytes
            self.pixelsSHA256 = pixelsSHA256
        }
    }

    /// Paints and encodes the image; throws ``AssetError/Code/image``.
    ///
    /// 24 megapixels take a second or two, and 36 MB for the pixels meanwhile.
    package func encode() throws(AssetError) -> Encoded {
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
            scene: LandscapeScene(width: 6000, height: 4000, seed: 0, mood: .noon))
    }

    package static func named(_ name: String) -> LibraryImage? { all.first { $0.name == name } }
}

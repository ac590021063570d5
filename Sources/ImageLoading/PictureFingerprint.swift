// SPDX-License-Identifier: Apache-2.0

package import Rendering
import Synchronization

/// A check that a cell shows the right picture, by URL, by encoded bytes and by its current pixels.
package struct PictureChecker: Sendable {
    private let fingerprints: FingerprintTable

    package init(_ fingerprints: FingerprintTable) { self.fingerprints = fingerprints }

    package func isRight(_ picture: LoadedPicture, for url: String, sha256: String?) -> Bool {
        guard picture.url == url, let sha256, picture.sha256 == sha256 else { return false }
        return fingerprints.fingerprint(of: sha256, at: picture.bitmap.size)
            == Fingerprint(picture.bitmap)
    }

    /// The fingerprints of decoded bytes, recorded at decoding independent of any URL.
    package final class FingerprintTable: Sendable {
        private struct Key: Hashable {
            var sha256: String
            var width: Int
            var height: Int
        }

        private let known = Mutex<[Key: Fingerprint]>([:])

        package init() {}

        /// Records the fingerprint of a bitmap decoded from bytes with this hash.
        func note(_ bitmap: Bitmap, of sha256: String) {
            let fingerprint = Fingerprint(bitmap)
            known.withLock {
                $0[Key(sha256: sha256, width: bitmap.size.width, height: bitmap.size.height)] = fingerprint
            }
        }

        func fingerprint(of sha256: String, at size: PixelSize) -> Fingerprint? {
            known.withLock { $0[Key(sha256: sha256, width: size.width, height: size.height)] }
        }
    }

    package struct Fingerprint: Hashable, Sendable {
        private static let side = 32

        private let value: UInt64

        package init(_ bitmap: Bitmap) {
            value = bitmap.withPixels { pixels in
                // FNV-1a over the size and the pixels.
                var hash: UInt64 = 0xCBF2_9CE4_8422_2325
                func take(_ byte: UInt64) { hash = (hash ^ byte) &* 0x100_0000_01B3 }
                take(UInt64(pixels.width))
                take(UInt64(pixels.height))
                for row in 0..<Self.side {
                    let line = pixels.row((2 * row + 1) * pixels.height / (2 * Self.side))
                    for column in 0..<Self.side {
                        let pixel = line[(2 * column + 1) * pixels.width / (2 * Self.side)]
                        for channel in 0..<3 { take(UInt64(pixel[channel])) }
                    }
                }
                return hash
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import TrialKit

extension Framebuffer {
    /// Draws a picture that is kept as planes, through one row of pixels: every sample is read.
    package func draw(_ picture: PlanarPicture) throws(RenderFailure) {
        let row = try AnonymousMapping(byteCount: picture.size.width * MemoryLayout<Pixel>.size)
        guard let pixels = row.bytes.bindMemory(to: Pixel.self).baseAddress else { return }
        drawRows(of: picture.size) { index in
            picture.write(row: index, to: pixels)
            return pixels
        }
    }
}

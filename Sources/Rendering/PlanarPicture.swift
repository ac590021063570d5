// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A picture as separate planes of luma and chroma, as a hardware decoder leaves it.
package final class PlanarPicture: Sendable {
    /// One plane, with a byte per sample.
    struct Plane: Sendable {
        let mapping: AnonymousMapping
        /// The distance between rows of samples, in bytes.
        let stride: Int
        let columns: Int
        /// The number of the picture's rows that share a sample.
        let rows: Int

        func samples(ofRow index: Int) -> UnsafePointer<UInt8>? {
            mapping.bytes.bindMemory(to: UInt8.self).baseAddress.map { UnsafePointer($0 + index / rows * stride) }
        }

        var start: UnsafeMutablePointer<UInt8>? { mapping.bytes.bindMemory(to: UInt8.self).baseAddress }
    }

    struct Shape {
        let stride: Int
        let height: Int
        let columns: Int
        let rows: Int
    }

    package let size: PixelSize
    /// Luma, and two planes of chroma unless the picture is gray.
    let planes: [Plane]

    private let matrix: ColorMatrix
    private let ledger: BitmapLedger

    /// Maps the planes; the caller checks the size against its limits first.
    init(
        _ size: PixelSize, _ shapes: [Shape], _ matrix: ColorMatrix, ledger: BitmapLedger
    ) throws(RenderFailure) {
        precondition(shapes.count == 1 || shapes.count == 3, "luma alone, or with two planes of chroma")
        var planes: [Plane] = []
        for shape in shapes {
            let mapping = try AnonymousMapping(byteCount: shape.stride * shape.height)
            planes.append(Plane(mapping: mapping, stride: shape.stride, columns: shape.columns, rows: shape.rows))
        }
        (self.size, self.planes, self.matrix, self.ledger) = (size, planes, matrix, ledger)
        ledger.add(Self.byteCount(of: planes))
    }

    deinit { ledger.remove(Self.byteCount(of: planes)) }

    /// Writes the pixels of a row, without smoothing of chroma.
    func write(row index: Int, to pixels: UnsafeMutablePointer<Pixel>) {
        guard let luma = planes[0].samples(ofRow: index) else { return }
        guard planes.count == 3, let blue = planes[1].samples(ofRow: index), let red = planes[2].samples(ofRow: index)
        else {
            for x in 0..<size.width { pixels[x] = matrix.pixel(luma: luma[x], blue: 128, red: 128) }
            return
        }
        let (blueColumns, redColumns) = (planes[1].columns, planes[2].columns)
        for x in 0..<size.width {
            pixels[x] = matrix.pixel(luma: luma[x], blue: blue[x / blueColumns], red: red[x / redColumns])
        }
    }

    private static func byteCount(of planes: [Plane]) -> Int {
        planes.reduce(0) { $0 + $1.mapping.bytes.count }
    }

    /// The conversion of luma and chroma to colors: the weights of BT.601, in units of 1/65536.
    struct ColorMatrix: Sendable {
        private let black: Int32
        private let luma: Int32
        private let redOfRed: Int32
        private let greenOfBlue: Int32
        private let greenOfRed: Int32
        private let blueOfBlue: Int32

        /// The full range of 256 levels, as in a JPEG (JFIF).
        static let full = ColorMatrix(
            black: 0, luma: 65_536, redOfRed: 91_881, greenOfBlue: -22_554, greenOfRed: -46_802, blueOfBlue: 116_130)

        static let video = ColorMatrix(
            black: 16, luma: 76_309, redOfRed: 104_597, greenOfBlue: -25_675, greenOfRed: -53_279, blueOfBlue: 132_201)

        @inline(__always)
        func pixel(luma sample: UInt8, blue: UInt8, red: UInt8) -> Pixel {
            let level = (Int32(sample) - black) &* luma &+ 32_768
            let (blue, red) = (Int32(blue) - 128, Int32(red) - 128)
            return Pixel(
                Self.byte(level &+ blueOfBlue &* blue),
                Self.byte(level &+ greenOfBlue &* blue &+ greenOfRed &* red),
                Self.byte(level &+ redOfRed &* red), 255)
        }

        @inline(__always)
        private static func byte(_ value: Int32) -> UInt8 {
            UInt8(truncatingIfNeeded: max(0, min(255, value >> 16)))
        }
    }
}

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

// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// A picture as separate planes of luma and chroma, as a hardware decoder leaves it.
package final class PlanarPicture: Sendable {
    /// One plane, with a byte per sample.
    struct Plane: Sendable {
        let mapping: AnonymousMapping
        /// The distance between rows of samples, in bytes.
        let stride: Int
        /// The number of the picture's columns that share a sample.
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
        self.size = size
        self.planes = planes
        self.matrix = matrix
        self.ledger = ledger
        ledger.add(Self.byteCount(of: planes))
    }

    deinit {
        ledger.remove(Self.byteCount(of: planes))
    }

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
}

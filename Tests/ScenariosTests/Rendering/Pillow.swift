// SPDX-License-Identifier: Apache-2.0

import Foundation
import Rendering
import TestSupport
import Testing
import TrialKit

/// Another program's pictures and pixels: Python's Pillow, through `pictures.py`.
enum Pillow {
    /// What went wrong.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// A picture of a kind that the script names.
    static func make(_ kind: String, _ size: PixelSize) throws -> [UInt8] {
        try run(["make", kind, "\(size.width)", "\(size.height)"], on: [])
    }

    /// The pixels of a picture, the colors multiplied by alpha as ours are.
    static func pixels(of picture: [UInt8]) throws -> [Pixel] {
        let bytes = try run(["decode"], on: picture)
        return stride(from: 0, to: bytes.count, by: 4).map { index in
            let alpha = Int(bytes[index + 3])
            func multiplied(_ channel: Int) -> UInt8 { UInt8((Int(bytes[index + channel]) * alpha + 127) / 255) }
            return Pixel(multiplied(0), multiplied(1), multiplied(2), UInt8(alpha))
        }
    }

    /// The size of a picture as it is shown, turned as its camera notes it, and the one that fits into a view.
    static func shown(_ picture: [UInt8], in view: PixelSize) throws -> (whole: PixelSize, fitted: PixelSize) {
        let text = String(decoding: try run(["shown", "\(view.width)", "\(view.height)"], on: picture), as: UTF8.self)
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 4 else { throw Failed(description: "pictures.py says \(text)") }
        return (
            PixelSize(width: numbers[0], height: numbers[1]), PixelSize(width: numbers[2], height: numbers[3])
        )
    }

    private static func run(_ arguments: [String], on input: [UInt8]) throws -> [UInt8] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "pictures.py")
        let ended = try TestProcess.tool(
            "/usr/bin/python3", of: "python3", [script.path] + arguments, input: input)
        guard ended.status != 77 else { throw MissingTool("Python's Pillow", in: "python3-pil") }
        guard ended.status == 0 else {
            throw Failed(description: "pictures.py \(arguments) failed: \(ended.complaint)")
        }
        return ended.output
    }
}

extension Bitmap {
    /// All pixels, row by row.
    var pixels: [Pixel] {
        withPixels { rows in
            (0..<rows.height).flatMap { y in (0..<rows.width).map { x in rows.row(y)[x] } }
        }
    }
}

/// How far two pictures differ in any channel of any pixel; the most there is where they differ in size.
func difference(_ left: [Pixel], _ right: [Pixel]) -> Int {
    guard left.count == right.count else { return 255 }
    return zip(left, right).reduce(0) { worst, pair in
        (0..<4).reduce(worst) { max($0, abs(Int(pair.0[$1]) - Int(pair.1[$1]))) }
    }
}

extension EncodedBytes {
    /// Bytes in memory.
    static func of(_ bytes: [UInt8]) -> EncodedBytes { .memory(bytes) }
}

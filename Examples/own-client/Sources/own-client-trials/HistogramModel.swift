// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TrialKit

/// A render model of one's own, which is what is done with the bytes: this one counts them, and keeps the counts.
struct HistogramModel: RenderModel {
    let name = "histogram"
    let summary = "counts how often each byte occurs, and lets go of the body"
    let needsBody = true

    func makeRenderer(_ settings: RenderSettings) -> any Renderer { HistogramRenderer() }
}

private final class HistogramRenderer: Renderer {
    func warmUp() {
        _ = Histogram(of: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage {
        switch body.content {
        case .memory(let bytes): return bytes.withUnsafeBytes { Histogram(of: $0) }
        case .file(let path): return try Histogram(ofFile: path)
        case .nothing, .consumed: throw RenderFailure(.system, "there are no bytes to count")
        }
    }
}

/// How often each byte occurs.
private final class Histogram: RenderedImage {
    private let counts: [Int]
    let decodedWidth: Int? = nil
    let decodedHeight: Int? = nil
    let bitmapByteCount = 0

    init(of bytes: UnsafeRawBufferPointer) {
        var counts = [Int](repeating: 0, count: 256)
        for byte in bytes { counts[Int(byte)] += 1 }
        self.counts = counts
    }

    /// Counts a file through one small buffer.
    init(ofFile path: String) throws(RenderFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw RenderFailure(.system, "the fetched file cannot be opened") }
        defer { close(descriptor) }
        var counts = [Int](repeating: 0, count: 256)
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count >= 0 else { throw RenderFailure(.system, "the fetched file cannot be read") }
            if count == 0 { break }
            for byte in piece[..<count] { counts[Int(byte)] += 1 }
        }
        self.counts = counts
    }
}

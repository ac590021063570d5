// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// A picture of any known format that is decoded while it arrives.
final class StreamedPicture: PieceDecoder {
    private let order: PictureOrder
    private var head: [UInt8] = []
    private var byteCount = 0
    private var decoder: (any PieceDecoder)?

    init(_ order: PictureOrder) {
        self.order = order
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        byteCount += bytes.count
        try order.limits.check(encodedByteCount: byteCount)
        if let decoder { return try decoder.take(bytes) }
        let first = bytes.prefix(ImageFormat.byteCount - head.count)
        head += first
        guard head.count == ImageFormat.byteCount else { return }
        let decoder = try start()
        try decoder.take(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(first.count)))
    }

    func finish() throws(RenderFailure) -> DecodedPicture {
        if let decoder { return try decoder.finish() }
        guard byteCount > 0 else { throw RenderFailure(.notAnImage, "the body is empty") }
        return try start().finish()
    }

    /// Makes the decoder of the format that the first bytes show, and gives it these.
    private func start() throws(RenderFailure) -> any PieceDecoder {
        let started = head.withUnsafeBytes { head in
            Result { () throws(RenderFailure) in
                let decoder = try makeDecoder(ImageFormat(of: head))
                try decoder.take(head)
                return decoder
            }
        }
        let decoder = try started.get()
        self.decoder = decoder
        return decoder
    }

    private func makeDecoder(_ format: ImageFormat) throws(RenderFailure) -> any PieceDecoder {
        switch format {
        case .jpeg: return try JPEGPieces(order)
        case .png: return PNGPieces(order)
        case .webP: return WebPPieces(order)
        case .unsupported(let what): throw .unsupported(what)
        case .unknown: throw RenderFailure(.notAnImage, "neither JPEG, PNG nor WebP")
        }
    }
}

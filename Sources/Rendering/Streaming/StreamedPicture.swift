// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TrialKit

/// A decoder for an arriving picture of any known format.
final class StreamedPicture: PieceDecoder {
    private let order: PictureOrder
    private var head = HeadCollector(byteCount: ImageFormat.byteCount)
    private var byteCount = 0
    private var decoder: (any PieceDecoder)?

    init(_ order: PictureOrder) {
        self.order = order
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        byteCount += bytes.count
        try order.limits.check(encodedByteCount: byteCount)
        let (head, rest) = self.head.take(bytes)
        if let head { _ = try start(with: head) }
        try decoder?.take(rest)
    }

    func finish() throws(RenderFailure) -> DecodedPicture {
        if let decoder { return try decoder.finish() }
        guard byteCount > 0 else { throw RenderFailure(.notAnImage, "the body is empty") }
        return try start(with: head.bytes).finish()
    }

    /// Creates the decoder of the format of the first bytes, and passes it these.
    private func start(with head: [UInt8]) throws(RenderFailure) -> any PieceDecoder {
        let decoder = try head.lend { head throws(RenderFailure) in
            let decoder = try makeDecoder(ImageFormat(of: head))
            try decoder.take(head)
            return decoder
        }
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

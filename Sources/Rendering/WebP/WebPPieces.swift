// SPDX-License-Identifier: Apache-2.0

import CWebP
import FoundationEssentials
import TrialKit

/// A decoder for an arriving WebP.
///
/// The decoder holds the bytes it has not used yet: at least the first partition, of up to 512 KiB, and a lossless
/// picture as a whole.
final class WebPPieces: PieceDecoder {
    private let order: PictureOrder
    private var head = HeadCollector(byteCount: WebPHeader.byteCount)
    private var picture: WebPPicture?
    private var decoder: OpaquePointer?
    private var isComplete = false

    init(_ order: PictureOrder) {
        self.order = order
    }

    deinit {
        WebPIDelete(decoder)
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        let (head, rest) = self.head.take(bytes)
        try head?.lend { head throws(RenderFailure) in
            try start(WebPHeader(parsing: head))
            try feed(head)
        }
        try feed(rest)
    }

    func finish() throws(RenderFailure) -> DecodedPicture {
        guard isComplete, let picture else {
            throw RenderFailure(.truncatedImage, "the WebP ends before its picture does")
        }
        return try picture.decoded()
    }

    private func start(_ header: WebPHeader) throws(RenderFailure) {
        let picture = try WebPPicture(header, order, nil)
        decoder = WebPIDecode(nil, 0, picture.configuration)
        guard decoder != nil else { throw RenderFailure(.system, "cannot start the decoder of WebP") }
        self.picture = picture
    }

    private func feed(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        guard !bytes.isEmpty else { return }
        // Behind the picture, too: the orientation comes there.
        try picture?.check(next: bytes)
        guard !isComplete else { return }
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        isComplete = try WebPPicture.isComplete(WebPIAppend(decoder, start, bytes.count))
    }
}

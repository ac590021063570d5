// SPDX-License-Identifier: Apache-2.0

import CWebP
import TrialKit

/// A WebP that is decoded while it arrives.
///
/// The decoder holds what it has not used yet: at least the first partition, of up to 512 KiB. A lossless picture is
/// held whole.
final class WebPPieces: PieceDecoder {
    private let order: PictureOrder
    private var head: [UInt8] = []
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
        guard picture == nil else { return try feed(bytes) }
        let first = bytes.prefix(WebPHeader.byteCount - head.count)
        head += first
        guard head.count == WebPHeader.byteCount else { return }
        let begin = head.withUnsafeBytes { head in
            Result { () throws(RenderFailure) in
                let picture = try WebPPicture(WebPHeader(parsing: head), order)
                decoder = WebPIDecode(nil, 0, picture.configuration)
                guard decoder != nil else { throw RenderFailure(.system, "cannot start the decoder of WebP") }
                self.picture = picture
                try feed(head)
            }
        }
        try begin.get()
        try feed(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(first.count)))
    }

    func finish() throws(RenderFailure) -> DecodedPicture {
        guard isComplete, let picture else {
            throw RenderFailure(.truncatedImage, "the WebP ends before its picture does")
        }
        return picture.decoded
    }

    private func feed(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure) {
        guard !isComplete, !bytes.isEmpty else { return }
        try picture?.check(next: bytes)
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        isComplete = try WebPPicture.isComplete(WebPIAppend(decoder, start, bytes.count))
    }
}

// SPDX-License-Identifier: Apache-2.0

import CImageCodecs
package import TrialKit

/// A decoder that takes a picture's bytes as they arrive, in one task at a time.
protocol PieceDecoder: AnyObject {
    /// Takes the next bytes, ignoring those after the end of the picture; after it throws, nothing can be taken.
    func take(_ bytes: UnsafeRawBufferPointer) throws(RenderFailure)

    /// Returns the picture after the last bytes; throws ``RenderFailure/Code/truncatedImage`` if its end is missing.
    func finish() throws(RenderFailure) -> DecodedPicture
}

struct DecodedPicture: Sendable {
    let bitmap: Bitmap
    var orientation = Orientation.up
    /// The reason why decoding cost more than the pixels, for a report, or `nil`.
    var note: String?
}

struct DecodedPlanes: Sendable {
    let picture: PlanarPicture
    var note: String?
}

/// The wanted pixels of a picture: all, or those that a view shows.
struct PictureOrder: Sendable {
    let view: PixelSize?
    let limits: RenderSettings
    let ledger: BitmapLedger
    var scaler: AreaScaler?

    /// Returns the size to which a picture is scaled as it is stored, so that it fits into the view as it is shown.
    func fitted(_ size: PixelSize, _ orientation: Orientation) -> PixelSize {
        view.map { size.fitted(into: orientation.isTurned ? $0.turned : $0) } ?? size
    }

    func target(ofRowsOf step: PixelSize, fitted: PixelSize) throws(RenderFailure) -> (any RowTarget, Bitmap) {
        let bitmap = try Bitmap(fitted, ledger: ledger)
        if step == fitted { return (BitmapTarget(bitmap), bitmap) }
        return (try ScalingTarget(step, into: bitmap, readyScaler(for: fitted)), bitmap)
    }

    func scaled(_ whole: Bitmap, to fitted: PixelSize) throws(RenderFailure) -> Bitmap {
        if whole.size == fitted { return whole }
        let bitmap = try Bitmap(fitted, ledger: ledger)
        let scaler = try readyScaler(for: fitted)
        whole.withPixels { source in bitmap.withPixels { scaler.scale(source, into: $0) } }
        return bitmap
    }

    private func readyScaler(for fitted: PixelSize) throws(RenderFailure) -> AreaScaler {
        if let scaler { return scaler }
        return try AreaScaler(maximumWidth: fitted.width)
    }

    /// A target that scales rows down one by one, holding only one decoded row.
    final class ScalingTarget: RowTarget {
        private let one: AnonymousMapping
        private let bitmap: Bitmap
        // Retained for the sums that the pass uses.
        private let scaler: AreaScaler
        private var pass: AreaPass

        init(_ source: PixelSize, into bitmap: Bitmap, _ scaler: AreaScaler) throws(RenderFailure) {
            one = try AnonymousMapping(byteCount: source.width * MemoryLayout<Pixel>.size)
            (self.bitmap, self.scaler) = (bitmap, scaler)
            pass = bitmap.withPixels { scaler.pass(from: source, into: $0) }
        }

        func row(_ index: Int) -> UnsafeMutablePointer<Pixel> {
            guard let first = one.bytes.bindMemory(to: Pixel.self).baseAddress else {
                preconditionFailure("a mapping without an address")
            }
            return first
        }

        func finish(_ index: Int) { pass.add(row(index)) }
    }
}

/// The destination of a decoder's rows, from the first to the last.
///
/// A decoder of an interlaced picture writes rows several times, which requires a target that keeps all of them.
protocol RowTarget: AnyObject {
    func row(_ index: Int) -> UnsafeMutablePointer<Pixel>

    func finish(_ index: Int)
}

/// A context that passes a target to a C decoder and retains it.
final class RowContext {
    private let target: any RowTarget

    init(_ target: any RowTarget) { self.target = target }

    /// The callbacks of the decoder, valid while this object lives.
    var rows: cimage_rows {
        cimage_rows(
            context: Unmanaged.passUnretained(self).toOpaque(),
            row: { context, index in
                guard let context else { preconditionFailure("rows without their target") }
                let target = Unmanaged<RowContext>.fromOpaque(context).takeUnretainedValue().target
                return UnsafeMutableRawPointer(target.row(index)).assumingMemoryBound(to: UInt8.self)
            },
            finish: { context, index in
                guard let context else { preconditionFailure("rows without their target") }
                Unmanaged<RowContext>.fromOpaque(context).takeUnretainedValue().target.finish(index)
            })
    }
}

final class BitmapTarget: RowTarget {
    private let bitmap: Bitmap

    init(_ bitmap: Bitmap) { self.bitmap = bitmap }

    func row(_ index: Int) -> UnsafeMutablePointer<Pixel> {
        bitmap.withPixels { $0.row(index) }
    }

    func finish(_ index: Int) {}
}

/// A parser of the chunks of an arriving picture, each with a head of eight bytes that contains the length.
struct ChunkReader {
    enum Part {
        case head([UInt8])
        /// Bytes of a chunk's content, as many as are available.
        case content(UnsafeRawBufferPointer)
    }

    private static let headLength = 8

    private var head = HeadCollector(byteCount: headLength)
    private var remaining: Int
    private let length: @Sendable (_ head: [UInt8]) -> Int

    /// Starts with `count` bytes before the first chunk; `length` gives the bytes of a chunk after its head.
    init(behind count: Int, length: @escaping @Sendable (_ head: [UInt8]) -> Int) {
        remaining = count
        self.length = length
    }

    /// Returns the next part of the bytes and removes it from them, or returns `nil` if none is left.
    mutating func next(of bytes: inout UnsafeRawBufferPointer) -> Part? {
        guard !bytes.isEmpty else { return nil }
        if remaining > 0 {
            let part = bytes.prefix(remaining)
            remaining -= part.count
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(part.count))
            return .content(UnsafeRawBufferPointer(rebasing: part))
        }
        let (whole, rest) = head.take(bytes)
        bytes = rest
        guard let whole else { return nil }
        head = HeadCollector(byteCount: Self.headLength)
        remaining = length(whole)
        return .head(whole)
    }
}

/// A buffer for the first bytes of an arriving picture, until they suffice to parse its header.
struct HeadCollector {
    private(set) var bytes: [UInt8] = []
    private let byteCount: Int

    init(byteCount: Int) { self.byteCount = byteCount }

    /// Takes the next bytes; returns the head once, when it is complete, and the bytes after it.
    mutating func take(_ next: UnsafeRawBufferPointer) -> (head: [UInt8]?, rest: UnsafeRawBufferPointer) {
        guard bytes.count < byteCount else { return (nil, next) }
        let first = next.prefix(byteCount - bytes.count)
        bytes += first
        let rest = UnsafeRawBufferPointer(rebasing: next.dropFirst(first.count))
        return (bytes.count == byteCount ? bytes : nil, rest)
    }
}

extension FilePieces {
    /// Passes on the bytes of a body's file in pieces of `length` bytes; the last one may be shorter.
    package static func read(
        _ path: String, length: Int, _ take: (UnsafeRawBufferPointer) throws(RenderFailure) -> Void
    ) throws(RenderFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
        defer { buffer.deallocate() }
        try read(path, through: buffer, failure: { RenderFailure(.system, "the body's file \($0)") }, take)
    }
}

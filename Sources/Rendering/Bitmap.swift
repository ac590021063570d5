// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
package import TrialKit

/// A decoded picture in its own pages: BGRA, 8 bits per channel, premultiplied by alpha.
package final class Bitmap: Sendable {
    package let size: PixelSize
    private let pixelsPerRow: Int
    private let mapping: AnonymousMapping
    private let ledger: BitmapLedger

    /// Maps a bitmap, whose pages become resident as they are written; the caller checks the size first.
    ///
    /// - Parameters:
    ///   - size: The size in pixels.
    ///   - rowAlignment: The alignment of rows in bytes; by default, there is no padding between rows.
    ///   - ledger: The ledger that counts the bytes.
    package init(
        _ size: PixelSize, rowAlignment: Int = MemoryLayout<Pixel>.size, ledger: BitmapLedger
    ) throws(RenderFailure) {
        (self.size, self.ledger) = (size, ledger)
        let pixels = rowAlignment / MemoryLayout<Pixel>.size
        pixelsPerRow = (size.width + pixels - 1) / pixels * pixels
        mapping = try AnonymousMapping(byteCount: pixelsPerRow * size.height * MemoryLayout<Pixel>.size)
        ledger.add(mapping.bytes.count)
    }

    deinit { ledger.remove(mapping.bytes.count) }

    package var byteCount: Int { mapping.bytes.count }

    package func withPixels<R, E: Error>(_ body: (PixelRows) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(self) {} }
        let start = mapping.bytes.bindMemory(to: Pixel.self)
        guard let first = start.baseAddress else { preconditionFailure("a mapping without an address") }
        return try body(
            PixelRows(start: first, width: size.width, height: size.height, pixelsPerRow: pixelsPerRow))
    }

    func copyPixels(to copy: Bitmap) {
        precondition(copy.size == size, "a copy of another size")
        withPixels { source in
            copy.withPixels { target in
                for row in 0..<size.height { target.row(row).update(from: source.row(row), count: size.width) }
            }
        }
    }
}

/// The bytes of the bitmaps that are mapped now.
///
/// This is exact where resident size is not: an allocator keeps freed memory resident, and an untouched mapping is not
/// resident. Framebuffers belong to the screen and are not counted.
package final class BitmapLedger: Sendable {
    /// The bitmaps of this process; bytes that remain after `release` have leaked.
    package static let process = BitmapLedger()

    private let live = Atomic<Int>(0)
    private let highest = Atomic<Int>(0)

    package init() {}

    package var liveByteCount: Int { live.load(ordering: .relaxed) }

    package var highestByteCount: Int { highest.load(ordering: .relaxed) }

    func add(_ byteCount: Int) {
        let now = live.add(byteCount, ordering: .relaxed).newValue
        highest.max(now, ordering: .relaxed)
    }

    func remove(_ byteCount: Int) { live.subtract(byteCount, ordering: .relaxed) }
}

/// Anonymous pages, zero until written, returned to the kernel when released.
///
/// Memory from `malloc` is unsuitable: glibc keeps freed blocks resident, which looks like a leak of the image.
///
/// Unchecked, because only the rendering task writes the pages, before others can see them.
final class AnonymousMapping: @unchecked Sendable {
    /// The pages, valid while this object lives.
    let bytes: UnsafeMutableRawBufferPointer

    init(byteCount: Int) throws(RenderFailure) {
        let pageSize = Int(getpagesize())
        let rounded = (max(byteCount, 1) + pageSize - 1) / pageSize * pageSize
        let start = mmap(nil, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED else {
            throw RenderFailure(.system, "cannot map \(rounded) bytes: \(systemMessage(errno))")
        }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: rounded)
    }

    deinit { munmap(bytes.baseAddress, bytes.count) }

    /// Makes every page resident by writing it.
    func touch() { bytes.initializeMemory(as: UInt8.self, repeating: 0) }
}

func systemMessage(_ number: CInt) -> String { String(cString: strerror(number)) }

/// The limit of a decoder's own allocations, apart from the bitmap it decodes into.
///
/// A progressive image is decoded through an array of all its coefficients, whose size the header determines: 2 KiB of
/// JPEG can require 1 GiB. libjpeg-turbo reads its limit from the environment whenever it starts on an image, so a
/// trial's environment sets it; the needs of other decoders are calculated beforehand.
package enum DecoderMemory {
    /// The usual limit in bytes, enough for the coefficients of 89 megapixels at 4:2:0.
    package static let usualBytes = 256 * 1_048_576

    /// The environment variable of the limit; libjpeg-turbo reads its value in units of 1000 bytes.
    package static let environment = (name: "JPEGMEM", value: String(usualBytes / 1000))
}

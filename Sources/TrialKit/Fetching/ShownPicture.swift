// SPDX-License-Identifier: Apache-2.0

/// A picture that a mode shows by itself of what it has fetched, as an image view does; held as long as the body.
public protocol ShownPicture: AnyObject, Sendable {
    /// Its width in pixels.
    var width: Int { get }
    /// Its height in pixels.
    var height: Int { get }
    /// The bytes of bitmaps that are alive now in the whole process, by the ledger of their mappings, as in
    /// ``RenderedImage/bitmapByteCount``: of several pictures each tells what all of them hold.
    var bitmapByteCount: Int { get }
    /// Whether it stands for a body that could not be decoded.
    var isFallback: Bool { get }
}

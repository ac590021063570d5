// SPDX-License-Identifier: Apache-2.0

/// A picture that a mode shows itself, like an image view; held as long as the body.
public protocol ShownPicture: AnyObject, Sendable {
    /// Its width in pixels.
    var width: Int { get }
    /// Its height in pixels.
    var height: Int { get }
    /// The bytes of all bitmaps alive now in the process, by the ledger of their mappings, as in
    /// ``RenderedImage/bitmapByteCount``: each of several pictures reports the sum of all.
    var bitmapByteCount: Int { get }
    /// True if it replaces a body that could not be decoded.
    var isFallback: Bool { get }
}

// SPDX-License-Identifier: Apache-2.0

/// A symbolicator of return addresses of a process.
package struct SymbolSource: Sendable {
    /// Returns the frames of each address, innermost first, leaving out addresses without a name.
    let frames: @Sendable (_ addresses: [UInt64], _ images: [LoadedImage]) -> [UInt64: [HolderFrame]]

    /// Swift's `Runtime` module.
    package static let runtime = SymbolSource { addresses, images in
        RuntimeSymbols.frames(of: addresses, in: images)
    }

    /// No symbols: frames are modules and offsets.
    package static let none = SymbolSource { _, _ in [:] }
}

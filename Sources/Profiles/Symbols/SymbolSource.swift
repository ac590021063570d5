// SPDX-License-Identifier: Apache-2.0

/// Gives names to return addresses of a process.
package struct SymbolSource: Sendable {
    /// The frames of each address, the innermost inlined function first; addresses without a name are left out.
    let frames: @Sendable (_ addresses: [UInt64], _ images: [LoadedImage]) -> [UInt64: [HolderFrame]]

    /// The toolchain's `Runtime` module, with what is known of system libraries.
    package static let runtime = SymbolSource { addresses, images in
        RuntimeSymbols.frames(of: addresses, in: images)
    }

    /// No names: programs and offsets.
    package static let none = SymbolSource { _, _ in [:] }
}

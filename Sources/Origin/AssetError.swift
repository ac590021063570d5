// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why an asset or the origin that serves it cannot be had.
package struct AssetError: Error, Hashable, Sendable {
    package enum Code: String, Sendable {
        /// No asset has this name, and it is no size either.
        case unknownAsset = "unknown_asset"
        /// The size is larger than the origin generates.
        case tooLarge = "too_large"
        /// A folder or file cannot be made, read, written or renamed.
        case file
        /// The image cannot be encoded, or the bytes are no image of the expected kind.
        case image
        /// The text is no rate, no range or no size.
        case malformed
        /// The origin may not listen at this address.
        case address
        /// A socket or an event loop failed.
        case network
    }

    package var code: Code

    /// What failed, and of what, in words.
    package var what: String

    /// The error number of the system call that failed, where one did.
    package var errno: CInt?

    package init(_ code: Code, _ what: String, errno: CInt? = nil) {
        self.code = code
        self.what = what
        self.errno = errno
    }
}

extension AssetError: CustomStringConvertible {
    /// The failure in one line: what, of what, and the reason where there is an error number.
    package var description: String {
        guard let errno else { return what }
        return "\(what): \(String(cString: strerror(errno)))"
    }
}

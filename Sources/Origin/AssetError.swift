// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A failure to make an asset or to start the origin.
package struct AssetError: Error, Hashable, Sendable {
    package enum Code: String, Sendable {
        /// The name is neither an asset nor a size.
        case unknownAsset = "unknown_asset"
        case tooLarge = "too_large"
        /// A folder or file cannot be created, read, written or renamed.
        case file
        /// The image cannot be encoded, or the bytes are not an image of the expected kind.
        case image
        /// A record cannot be encoded as JSON.
        case malformed
        /// The origin must not listen at this address.
        case address
        /// A socket or an event loop failed.
        case network
    }

    package var code: Code

    package var what: String

    package var errno: CInt?

    package init(_ code: Code, _ what: String, errno: CInt? = nil) {
        (self.code, self.what, self.errno) = (code, what, errno)
    }
}

extension AssetError: CustomStringConvertible {
    package var description: String {
        guard let errno else { return what }
        return "\(what): \(String(cString: strerror(errno)))"
    }
}

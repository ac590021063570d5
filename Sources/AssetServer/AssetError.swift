// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why an asset or the origin that serves it cannot be had.
package struct AssetError: Error, Hashable, Sendable {
    /// The kind of failure; an open set.
    package struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// The word stored in a run.
        package var rawValue: String

        /// Creates a code from the word stored in a run.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// No asset has this name, and it is no size either.
        package static let unknownAsset = Code(rawValue: "unknown_asset")
        /// The size is larger than the origin generates.
        package static let tooLarge = Code(rawValue: "too_large")
        /// A folder or file cannot be made, read, written or renamed.
        package static let file = Code(rawValue: "file")
        /// The image cannot be encoded, or the bytes are no image of the expected kind.
        package static let image = Code(rawValue: "image")
        /// The text is no rate, no range or no size.
        package static let malformed = Code(rawValue: "malformed")
        /// The origin may not listen at this address.
        package static let address = Code(rawValue: "address")
        /// A socket or an event loop failed.
        package static let network = Code(rawValue: "network")
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

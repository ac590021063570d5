// SPDX-License-Identifier: Apache-2.0

/// Why a profile could not be written.
package enum HolderProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// zlib has refused to compress, for want of memory.
    case compression(status: Int32)

    package var description: String {
        switch self {
        case .compression(let status):
            "zlib could not compress the profile (status \(status)): there is too little memory"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package enum HolderProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    case compression(status: Int32)

    package var description: String {
        switch self {
        case .compression(let status):
            "zlib could not compress the profile (status \(status)): there is too little memory"
        }
    }
}

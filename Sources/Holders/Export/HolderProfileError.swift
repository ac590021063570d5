// SPDX-License-Identifier: Apache-2.0

/// Why a profile could not be read or written.
package enum HolderProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The document is no profile, or not the whole of one.
    case malformed(reason: String)
    /// The document is of a version that this version of fetchbench does not know.
    case unknownVersion(Int)
    /// zlib has refused to compress, for want of memory.
    case compression(status: Int32)

    package var description: String {
        switch self {
        case .malformed(let reason):
            "this is no profile of holders, or not the whole of one: \(reason); make it again with fetchbench explain"
        case .unknownVersion(let version):
            "this profile of holders is of version \(version), and this fetchbench knows version "
                + "\(HolderProfile.currentVersion): read it with the fetchbench that wrote it"
        case .compression(let status):
            "zlib could not compress the profile (status \(status)): there is too little memory"
        }
    }
}

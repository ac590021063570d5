// SPDX-License-Identifier: Apache-2.0

/// The properties of this build.
package enum BuildInformation {
    package static let version = "0.1.0"

    /// The name of the program in runs and judgements: `fetchbench 0.1.0`.
    package static let tool = "fetchbench \(version)"

    /// The compiler's minor version: conditional compilation cannot detect the patch version.
    package static var swiftVersion: String {
        #if swift(>=6.5)
            "6.5 or later"
        #elseif swift(>=6.4)
            "6.4"
        #elseif swift(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// `release` or `debug`.
    package static var configuration: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }
}

// SPDX-License-Identifier: Apache-2.0

/// What the compiler knew when it built this.
package enum BuildInformation {
    /// The version of fetchbench.
    package static let version = "0.1.0"

    /// What writes runs and judgements: `fetchbench 0.1.0`.
    package static let tool = "fetchbench \(version)"

    /// The compiler, to its minor version: the language offers no finer one at compile time.
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

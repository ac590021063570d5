// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The name of the operating system.
package enum SystemName {
    /// The name of this machine's system, or `nil` if it does not tell one.
    package static var here: String? {
        (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)).flatMap(parsed)
    }

    /// Returns the `PRETTY_NAME` of an `os-release` file.
    package static func parsed(_ text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
            .map { $0.dropFirst("PRETTY_NAME=".count).filter { !"\"'".contains($0) } }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A report of the child process, such as the error that the caller got.
package struct Fact: Codable, Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

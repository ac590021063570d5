// SPDX-License-Identifier: Apache-2.0

/// Something that only the child process can know, such as the error that the caller got.
package struct Fact: Codable, Hashable, Sendable {
    /// What it is about.
    package var name: String
    /// What the child saw.
    package var value: String

    /// Creates a fact.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The linkage of Swift's libraries in a program.
package enum CostLinkage: String, Codable, Hashable, Sendable {
    case dynamic
    /// Linked into the program (`--static-swift-stdlib`); other libraries can still be dynamic.
    case `static`
}

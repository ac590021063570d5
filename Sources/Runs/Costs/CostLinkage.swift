// SPDX-License-Identifier: Apache-2.0

/// How a program got Swift's libraries.
package enum CostLinkage: String, Codable, Hashable, Sendable {
    /// It loads them when it starts.
    case dynamic
    /// They are a part of it (`--static-swift-stdlib`); other libraries may still be loaded.
    case `static`
}

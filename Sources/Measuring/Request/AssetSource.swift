// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Who has the assets of the embedded origin.
package protocol AssetSource: Sendable {
    /// The names and forms of assets, for complaints.
    var choices: [String] { get }

    /// The one name of an asset, or `nil` where there is none: 64KiB and 65536 are one.
    func canonicalName(of name: String) -> String?
    /// Prepares an asset.
    /// - Returns: the asset, and what a user should know of how it was prepared.
    func asset(named name: String, seed: UInt64) throws -> (asset: Asset, warnings: [String])
}

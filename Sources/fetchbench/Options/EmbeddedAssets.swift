// SPDX-License-Identifier: Apache-2.0

import AssetServer
import FetchBenchKit

/// The embedded origin's assets and rates, as a plan asks for them.
struct EmbeddedAssets: AssetSource {
    let choices = AssetLibrary.names + ["a size up to 1TiB such as 64MiB", "text-64MiB"]
    let standardRate = TransferRate.standard.text

    func canonicalName(of name: String) -> String? { AssetLibrary.canonicalName(of: name) }

    func canonicalRate(of text: String) -> String? { TransferRate(parsing: text)?.text }

    func asset(named name: String, seed: UInt64) throws -> (asset: FetchBenchKit.Asset, warnings: [String]) {
        let library = try Surroundings.library()
        let asset = try library.asset(named: name, seed: seed)
        let prepared = FetchBenchKit.Asset(
            name: asset.name, location: asset.path, isEmbedded: true, byteCount: asset.byteCount, sha256: asset.sha256,
            mediaType: asset.mediaType)
        return (prepared, library.warnings(about: asset))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Measuring
import Origin
import Runs

extension AssetLibrary {
    /// The assets, cached outside of any repository; a fallback to a temporary folder is reported once.
    static let announced = Result { () throws(FetchBenchError) in
        let folder = try HarnessContext.here.cacheFolder()
        if let obstacle = folder.obstacle {
            Console.warn("\(obstacle): assets are kept in \(folder.path), which the system may empty")
        }
        return AssetLibrary(cacheDirectory: folder.path)
    }

    /// Returns the prepared asset of a name.
    static func announcedAsset(named name: String, seed: UInt64) throws -> (asset: Asset, warnings: [String]) {
        let library = try announced.get()
        let asset = try library.asset(named: name, seed: seed)
        return (asset, library.warnings(about: asset))
    }
}

// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs
import TrialKit

/// The bodies that foreign assets are compared with: the first valid one of each.
package struct BodyReferences: Sendable {
    private var assets: [String: Asset]

    package init(_ assets: [Asset]) {
        self.assets = Dictionary(assets.map { ($0.name, $0) }) { first, _ in first }
    }

    package func asset(of cell: Case) -> Asset? {
        assets[cell.asset]
    }

    package mutating func learn(from trial: Trial) {
        guard trial.isCompleted, let body = trial.report?.body, var asset = assets[trial.cell.asset] else { return }
        asset.byteCount = asset.byteCount ?? body.byteCount
        asset.sha256 = asset.sha256 ?? body.sha256
        assets[asset.name] = asset
    }
}

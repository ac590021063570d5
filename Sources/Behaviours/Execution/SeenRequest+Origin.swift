// SPDX-License-Identifier: Apache-2.0

import AssetServer

extension SeenRequest {
    /// What an origin was asked for.
    static func all(of origin: Origin) -> [SeenRequest] {
        []
    }
}

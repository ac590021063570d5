// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import NIOSSL

extension TLSConfiguration {
    /// The client's own configuration, which trusts the embedded origin's authority where a trial names one.
    static func forTrial(_ settings: FetchSettings) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let path = settings.certificateAuthorityPath { configuration.trustRoots = .file(path) }
        return configuration
    }
}

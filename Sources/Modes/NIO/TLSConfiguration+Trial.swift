// SPDX-License-Identifier: Apache-2.0

package import NIOSSL
package import TrialKit

extension TLSConfiguration {
    /// The library's default configuration, which trusts the trial's certificate authority, if there is one.
    package static func forTrial(_ settings: FetchSettings) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let path = settings.certificateAuthorityPath { configuration.trustRoots = .file(path) }
        if settings.http == .http2 { configuration.applicationProtocols = ["h2"] }
        return configuration
    }
}

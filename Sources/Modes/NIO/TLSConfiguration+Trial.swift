// SPDX-License-Identifier: Apache-2.0

package import NIOSSL
package import TrialKit

extension TLSConfiguration {
    /// The client's own configuration, which trusts the embedded origin's authority where a trial names one.
    package static func forTrial(_ settings: FetchSettings) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let path = settings.certificateAuthorityPath { configuration.trustRoots = .file(path) }
        return configuration
    }
}

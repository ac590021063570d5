// SPDX-License-Identifier: Apache-2.0

import CCurlTrust
package import TrialKit

package enum URLSessionTrust {
    /// Trusts the trial's certificate authority, if there is one, from the next session on.
    package static func follow(_ settings: FetchSettings) throws(FetchFailure) {
        guard let path = settings.certificateAuthorityPath, !ccurltrust_authority(path) else { return }
        throw FetchFailure(.tls, "the path of the authority is too long")
    }
}

// SPDX-License-Identifier: Apache-2.0

import CCurl

/// What this process has loaded, which need not be what it was built with.
package enum LoadedLibraries {
    /// What libcurl says of itself and of its parts: `libcurl/8.5.0 OpenSSL/3.0.13 zlib/1.3 …`.
    ///
    /// The corresponding function is `curl_version`.
    package static var libcurl: String? {
        curl_version().map { String(cString: $0) }
    }
}

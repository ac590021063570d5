// SPDX-License-Identifier: Apache-2.0

/// The libraries that the probes' program has loaded, which may differ from those it was built with.
package struct LibraryFacts: Codable, Hashable, Sendable {
    /// The result of `curl_version`: `libcurl/8.5.0 OpenSSL/3.0.13 zlib/1.3 …`.
    package var libcurl: String?
    /// The platform that the toolchain's URLSession was built on: `Ubuntu 11.4.0-1ubuntu1~22.04.2`; `nil` if unknown.
    package var platform: String?

    package init(libcurl: String?, platform: String?) {
        self.libcurl = libcurl
        self.platform = platform
    }
}

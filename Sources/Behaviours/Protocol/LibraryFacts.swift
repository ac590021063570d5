// SPDX-License-Identifier: Apache-2.0

/// What the program that holds the probes has loaded, which need not be what it was built with.
package struct LibraryFacts: Codable, Hashable, Sendable {
    /// What libcurl says of itself and of its parts: `libcurl/8.5.0 OpenSSL/3.0.13 zlib/1.3 …`; `nil` where it is silent.
    package var libcurl: String?
    /// The platform that the toolchain's URLSession was built on, `Ubuntu 11.4.0-1ubuntu1~22.04.2`, or `nil` where it is
    /// linked into the program or does not tell.
    ///
    /// It decides which functions of libcurl were left out, whichever libcurl is loaded later.
    package var platform: String?

    package init(libcurl: String?, platform: String?) {
        self.libcurl = libcurl
        self.platform = platform
    }
}

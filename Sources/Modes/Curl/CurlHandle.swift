// SPDX-License-Identifier: Apache-2.0

package import CCurl
package import TrialKit

/// An easy handle, used by one thread at a time.
package final class CurlHandle: @unchecked Sendable {
    // Unchecked: libcurl allows a handle on any thread, one at a time.
    package let pointer: UnsafeMutableRawPointer

    /// Creates a handle; the first one initialises libcurl.
    package static func make() throws(FetchFailure) -> CurlHandle {
        guard isReady, let pointer = curl_easy_init() else {
            throw FetchFailure(.other, "libcurl cannot be made ready")
        }
        return CurlHandle(pointer)
    }

    private init(_ pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
    }

    package func set(_ option: CURLoption, _ value: Int) throws(FetchFailure) {
        try Self.check(ccurl_set_long(pointer, option, value))
    }

    package func set(_ option: CURLoption, _ value: String) throws(FetchFailure) {
        try Self.check(ccurl_set_text(pointer, option, value))
    }

    package static func check(_ code: CURLcode) throws(FetchFailure) {
        guard code == CURLE_OK else {
            throw FetchFailure(.other, "libcurl refuses an option: \(String(cString: curl_easy_strerror(code)))")
        }
    }

    /// Initialises libcurl once per process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
}

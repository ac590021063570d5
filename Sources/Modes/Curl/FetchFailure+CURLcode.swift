// SPDX-License-Identifier: Apache-2.0

import CCurl
package import TrialKit

extension FetchFailure {
    /// Converts an error number of libcurl.
    package init(ofCurl number: UInt32) {
        let code = CURLcode(rawValue: number)
        self.init(Self.code(of: code), "\(String(cString: curl_easy_strerror(code))) (libcurl \(number))")
    }

    /// Maps a code of libcurl; an unsupported protocol is a malformed response, because libcurl takes anything but HTTP
    /// for HTTP/0.9, and the URL's scheme was checked before.
    private static func code(of code: CURLcode) -> Code {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .hostNotFound
        case CURLE_COULDNT_CONNECT: .connectionRefused
        case CURLE_OPERATION_TIMEDOUT: .idleTimeout
        case CURLE_PARTIAL_FILE: .truncatedBody
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR: .connectionLost
        case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirects
        case CURLE_WRITE_ERROR: .file
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            .malformedResponse
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            .tls
        default: .other
        }
    }
}

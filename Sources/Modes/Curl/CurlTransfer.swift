// SPDX-License-Identifier: Apache-2.0

package import CCurl
import FoundationEssentials
import Synchronization
package import TrialKit

/// One request on an easy handle, and the context of its callbacks.
final class CurlTransfer {
    final class Flag: Sendable {
        private let state = Atomic(false)

        var isRaised: Bool { state.load(ordering: .relaxed) }

        func raise() { state.store(true, ordering: .relaxed) }
    }

    private static let maximumRedirects = 20

    private let handle: CurlHandle
    private let settings: FetchSettings
    private let delay: ConsumerDelay
    private let isCancelled: Flag
    private var body: StreamedBody?
    private var byteCount = 0
    private var resumption: Resumption?
    private var failure: FetchFailure?

    init(_ handle: CurlHandle, _ settings: FetchSettings, until isCancelled: Flag) {
        (self.handle, self.settings, self.isCancelled) = (handle, settings, isCancelled)
        delay = ConsumerDelay(settings)
    }

    /// Fetches; blocks the thread.
    func perform(_ request: FetchRequest) throws(FetchFailure) -> FetchedBody {
        resumption = request.resumption
        if request.method == .get {
            body = try StreamedBody(for: request, verifiedBy: settings.verification)
        }
        var chain = RedirectChain(request, settings, atMost: Self.maximumRedirects)
        repeat { try performOnce(chain) } while try isLedOn(&chain)
        try StatusCheck.check(ccurl_status(handle.pointer), resuming: resumption)
        guard request.method == .get, let body else { return try head.body(of: request) }
        return body.finished()
    }

    /// True if redirects are followed here, because libcurl would forward the user's fields to other origins.
    private var followsByHand: Bool { settings.target != nil }

    private func isLedOn(_ chain: inout RedirectChain) throws(FetchFailure) -> Bool {
        guard followsByHand else { return false }
        let location = ccurl_redirect(handle.pointer).map { String(cString: $0) }
        return try chain.follow(status: ccurl_status(handle.pointer), location: location)
    }

    private func performOnce(_ chain: RedirectChain) throws(FetchFailure) {
        // Resets the options and keeps the connection.
        curl_easy_reset(handle.pointer)
        let fields = list(of: chain)
        defer { curl_slist_free_all(fields) }
        try CurlHandle.check(ccurl_set_fields(handle.pointer, fields))
        try setOptions(for: chain.request)
        try finish(send(chain.target))
    }

    private func list(of chain: RedirectChain) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for (name, value) in chain.request.fields(acceptingGzip: settings.acceptsGzip, carrying: chain.target) {
            // libcurl itself sends the encoding that it decodes, and the URL's credentials.
            let isOwn =
                name == "Authorization" && chain.request.credentials != nil || name == "Accept-Encoding" && decodes
            if !isOwn { list = curl_slist_append(list, "\(name): \(value)") }
        }
        guard let target = chain.target, target.contentLength != nil else { return list }
        // Neither waits for `100 Continue`, nor declares the body as a form.
        list = curl_slist_append(list, "Expect:")
        return target.body == nil ? curl_slist_append(list, "Content-Type:") : list
    }

    /// Performs the request with the user's method and body, if any.
    private func send(_ target: TargetRequest?) throws(FetchFailure) -> CURLcode {
        guard let target, target.contentLength != nil else { return curl_easy_perform(handle.pointer) }
        if target.method != "POST" { try handle.set(CURLOPT_CUSTOMREQUEST, target.method) }
        // libcurl does not copy the body: it has to outlive the transfer.
        return (target.body ?? Data()).withUnsafeBytes { bytes in
            let code = ccurl_set_body(handle.pointer, bytes.baseAddress, bytes.count)
            return code == CURLE_OK ? curl_easy_perform(handle.pointer) : code
        }
    }

    /// True if libcurl requests a compressed body; never for a part of a body.
    private var decodes: Bool { settings.acceptsGzip && resumption == nil }

    private var head: BodyHead {
        BodyHead(status: ccurl_status(handle.pointer)) { ccurl_field(handle.pointer, $0).map { String(cString: $0) } }
    }

    private func setOptions(for request: FetchRequest) throws(FetchFailure) {
        try handle.set(CURLOPT_URL, request.url.absoluteString)
        // As the other clients: a path is sent as it is.
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        // A time-out of the resolver would raise a signal, which belongs to the process.
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_NOBODY, request.method == .head ? 1 : 0)
        try CurlHandle.check(ccurl_allow_http_only(handle.pointer))
        try handle.set(CURLOPT_FOLLOWLOCATION, followsByHand ? 0 : 1)
        try handle.set(CURLOPT_MAXREDIRS, Self.maximumRedirects)
        // Below one byte per second for this many seconds.
        try handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
        try handle.set(CURLOPT_LOW_SPEED_TIME, settings.idleTimeoutSeconds)
        try handle.set(CURLOPT_CONNECTTIMEOUT, settings.idleTimeoutSeconds)
        // The default of newer versions of libcurl, not of all.
        if settings.http == .http1Only { try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
        if settings.http == .http2 { try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)) }
        if decodes { try handle.set(CURLOPT_ACCEPT_ENCODING, "gzip") }
        if let path = settings.certificateAuthorityPath { try handle.set(CURLOPT_CAINFO, path) }
        try CurlHandle.check(
            ccurl_set_writer(
                handle.pointer,
                { bytes, size, count, context in
                    guard let bytes, let context else { return 0 }
                    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
                    return transfer.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                }, Unmanaged.passUnretained(self).toOpaque()))
        try CurlHandle.check(
            ccurl_set_watcher(
                handle.pointer,
                { context, _, _, _, _ in
                    guard let context else { return 0 }
                    return Unmanaged<Flag>.fromOpaque(context).takeUnretainedValue().isRaised ? 1 : 0
                }, Unmanaged.passUnretained(isCancelled).toOpaque()))
    }

    /// Takes the next piece and returns its length; any other number ends the transfer.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        do throws(FetchFailure) {
            if isCancelled.isRaised { throw FetchFailure.cancelled }
            // The body of a redirect is dropped.
            if followsByHand, (300..<400).contains(ccurl_status(handle.pointer)) { return bytes.count }
            if byteCount == 0 {
                try StatusCheck.check(ccurl_status(handle.pointer), resuming: resumption)
                try body?.begin(head)
            }
            delay.wait()
            try body?.take(bytes)
            byteCount += bytes.count
            return bytes.count
        } catch {
            failure = error
            // Any number but the length of the piece reports a failure.
            return bytes.count + 1
        }
    }

    private func finish(_ code: CURLcode) throws(FetchFailure) {
        if let failure { throw failure }
        guard code == CURLE_OK else {
            let number = CInt(truncatingIfNeeded: ccurl_connect_errno(handle.pointer))
            if code == CURLE_COULDNT_CONNECT, number != 0 {
                throw FetchFailure(errno: number, "connecting failed")
            }
            throw FetchFailure(ofCurl: code.rawValue)
        }
    }
}

/// An easy handle, used by one thread at a time.
package final class CurlHandle: @unchecked Sendable {
    // Unchecked: libcurl allows a handle on any thread, one at a time.
    package let pointer: UnsafeMutableRawPointer

    package static func make() throws(FetchFailure) -> CurlHandle {
        guard isReady, let pointer = curl_easy_init() else {
            throw FetchFailure(.other, "libcurl cannot be made ready")
        }
        return CurlHandle(pointer)
    }

    private init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

    deinit { curl_easy_cleanup(pointer) }

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

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
}

extension FetchFailure {
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

// SPDX-License-Identifier: Apache-2.0

import CCurl
import FoundationEssentials
import Synchronization
import TrialKit

/// One request on an easy handle, and what its write callback is called with.
final class CurlTransfer {
    /// What another thread raises to end a transfer.
    final class Flag: Sendable {
        private let state = Atomic(false)

        var isRaised: Bool { state.load(ordering: .relaxed) }

        func raise() {
            state.store(true, ordering: .relaxed)
        }
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
        self.handle = handle
        self.settings = settings
        self.isCancelled = isCancelled
        delay = ConsumerDelay(settings)
    }

    /// Fetches, and blocks meanwhile.
    func perform(_ request: FetchRequest) throws(FetchFailure) -> FetchedBody {
        resumption = request.resumption
        // Forgets the options and keeps the connection.
        curl_easy_reset(handle.pointer)
        var fields: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(fields) }
        for (name, value) in request.fields(acceptingGzip: settings.acceptsGzip) {
            // libcurl sends an encoding that it is to decode by itself, and the URL's own credentials.
            let isOwn = name == "Authorization" || name == "Accept-Encoding" && decodes
            if !isOwn { fields = curl_slist_append(fields, "\(name): \(value)") }
        }
        try CurlHandle.check(ccurl_set_fields(handle.pointer, fields))
        try setOptions(for: request)
        if request.method == .get {
            body = try StreamedBody(for: request, verifiedBy: settings.verification)
        }
        try finish(curl_easy_perform(handle.pointer))
        guard request.method == .get, let body else { return try head.body(of: request) }
        guard byteCount > 0 else {
            throw FetchFailure(.emptyBody, "status \(ccurl_status(handle.pointer)), no byte")
        }
        return body.finished()
    }

    /// Whether libcurl is to ask for a compressed body: never for a part of one.
    private var decodes: Bool { settings.acceptsGzip && resumption == nil }

    /// What the answer says of its body.
    private var head: BodyHead {
        BodyHead(status: ccurl_status(handle.pointer)) { ccurl_field(handle.pointer, $0).map { String(cString: $0) } }
    }

    private func setOptions(for request: FetchRequest) throws(FetchFailure) {
        try handle.set(CURLOPT_URL, request.url.absoluteString)
        // Signals belong to the process, and a time-out of the resolver would raise one.
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_NOBODY, request.method == .head ? 1 : 0)
        try CurlHandle.check(ccurl_allow_http_only(handle.pointer))
        try handle.set(CURLOPT_FOLLOWLOCATION, 1)
        try handle.set(CURLOPT_MAXREDIRS, Self.maximumRedirects)
        // Less than a byte in a second, for so many seconds.
        try handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
        try handle.set(CURLOPT_LOW_SPEED_TIME, settings.idleTimeoutSeconds)
        try handle.set(CURLOPT_CONNECTTIMEOUT, settings.idleTimeoutSeconds)
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

    /// Takes the next piece, and tells how much of it was taken: anything but all of it ends the transfer.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        do throws(FetchFailure) {
            if isCancelled.isRaised { throw FetchFailure.cancelled }
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
            // One byte too many, as no piece is empty.
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
        try StatusCheck.check(ccurl_status(handle.pointer), resuming: resumption)
    }
}

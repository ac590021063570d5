// SPDX-License-Identifier: Apache-2.0

import CCurl
import CurlModes
import FoundationEssentials
import TrialKit

/// A client on one handle of libcurl, whose connection stays open from one request to the next.
final class ReferenceClient {
    private static let maximumRedirects = 20

    private let url: URL
    private let settings: FetchSettings
    private let timeoutSeconds: Double
    private let handle: CurlHandle

    init(_ url: URL, _ settings: FetchSettings, timeoutSeconds: Double) throws(FetchFailure) {
        self.url = url
        self.settings = settings
        self.timeoutSeconds = timeoutSeconds
        handle = try CurlHandle.make()
    }

    /// Fetches and follows redirects; an answer of any status is one.
    func fetch(
        _ method: FetchRequest.Method, accepting coding: String, within seconds: Double? = nil
    ) throws(FetchFailure) -> ReferenceAnswer {
        let request = FetchRequest(url: url, method: method, destination: "/dev/null")
        var chain = RedirectChain(request, settings, atMost: Self.maximumRedirects)
        var redirectCount = 0
        while true {
            let exchange = ReferenceExchange()
            try perform(chain, accepting: coding, within: seconds ?? timeoutSeconds, into: exchange)
            let status = ccurl_status(handle.pointer)
            let location = ccurl_redirect(handle.pointer).map { String(cString: $0) }
            guard try chain.follow(status: status, location: location) else {
                return ReferenceAnswer(
                    status: status, fields: exchange.fields, body: exchange.body(),
                    connectionCount: ccurl_connection_count(handle.pointer), redirectCount: redirectCount)
            }
            redirectCount += 1
        }
    }

    private func perform(
        _ chain: RedirectChain, accepting coding: String, within seconds: Double, into exchange: ReferenceExchange
    ) throws(FetchFailure) {
        // Resets the options and keeps the connection.
        curl_easy_reset(handle.pointer)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        var fields = chain.request.fields(acceptingGzip: false, carrying: chain.target)
            .filter { $0.name != "Accept-Encoding" && ($0.name != "Authorization" || chain.request.credentials == nil) }
        fields.append(("Accept-Encoding", coding))
        for field in fields { list = curl_slist_append(list, "\(field.name): \(field.value)") }
        // Neither waits for `100 Continue`, nor declares the body as a form.
        if chain.target?.contentLength != nil { list = curl_slist_append(list, "Expect:") }
        try CurlHandle.check(ccurl_set_fields(handle.pointer, list))
        try handle.set(CURLOPT_URL, chain.request.url.absoluteString)
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try handle.set(CURLOPT_NOSIGNAL, 1)
        if let path = settings.certificateAuthorityPath { try handle.set(CURLOPT_CAINFO, path) }
        try handle.set(CURLOPT_NOBODY, chain.request.method == .head ? 1 : 0)
        try handle.set(CURLOPT_TIMEOUT_MS, Int(seconds * 1000))
        try CurlHandle.check(ccurl_allow_http_only(handle.pointer))
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        try CurlHandle.check(
            ccurl_set_head_reader(
                handle.pointer,
                { bytes, size, count, context in
                    ReferenceExchange.take(bytes, size * count, context) { $0.takeLine($1) }
                }, context))
        try CurlHandle.check(
            ccurl_set_writer(
                handle.pointer,
                { bytes, size, count, context in
                    ReferenceExchange.take(bytes, size * count, context) { $0.takePiece($1) }
                }, context))
        let code = try send(chain.target)
        guard code == CURLE_OK else { throw failure(code, within: seconds) }
    }

    private func failure(_ code: CURLcode, within seconds: Double) -> FetchFailure {
        let number = CInt(truncatingIfNeeded: ccurl_connect_errno(handle.pointer))
        if code == CURLE_COULDNT_CONNECT, number != 0 { return FetchFailure(errno: number, "connecting failed") }
        if code == CURLE_OPERATION_TIMEDOUT { return FetchFailure(.idleTimeout, "no whole answer within \(seconds) s") }
        return FetchFailure(ofCurl: code.rawValue)
    }

    private func send(_ target: TargetRequest?) throws(FetchFailure) -> CURLcode {
        guard let target, target.contentLength != nil else { return curl_easy_perform(handle.pointer) }
        if target.method != "POST" { try handle.set(CURLOPT_CUSTOMREQUEST, target.method) }
        // libcurl does not copy the body: it has to outlive the transfer.
        return (target.body ?? Data()).withUnsafeBytes { bytes in
            let code = ccurl_set_body(handle.pointer, bytes.baseAddress, bytes.count)
            return code == CURLE_OK ? curl_easy_perform(handle.pointer) : code
        }
    }
}

/// An answer to the last request of a chain of redirects.
struct ReferenceAnswer {
    let status: Int
    let fields: [String: String]
    let body: ReferenceReport.Body
    /// The connections that had to be opened for it.
    let connectionCount: Int
    let redirectCount: Int

    /// The value of a header field, by its name in lower case.
    func field(_ name: String) -> String? { fields[name] }
}

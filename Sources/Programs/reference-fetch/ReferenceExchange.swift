// SPDX-License-Identifier: Apache-2.0

import CCurl
import CZlib
import CurlModes
import FoundationEssentials
import Hashing
import TrialKit

/// A client on one handle of libcurl, whose connection stays open from one request to the next.
final class ReferenceClient {
    private static let maximumRedirects = 20

    private let url: URL
    private let settings: FetchSettings
    private let timeoutSeconds: Double
    private let handle: CurlHandle

    init(_ url: URL, _ settings: FetchSettings, timeoutSeconds: Double) throws(FetchFailure) {
        (self.url, self.settings, self.timeoutSeconds) = (url, settings, timeoutSeconds)
        handle = try CurlHandle.make()
    }

    /// Fetches and follows redirects; an answer of any status is one.
    /// - Parameter decodes: True to decode the body by libcurl, whatever it was encoded in, once or several times.
    func fetch(
        _ method: FetchRequest.Method, accepting coding: String, decodes: Bool = false, within seconds: Double? = nil
    ) throws(FetchFailure) -> ReferenceAnswer {
        let request = FetchRequest(url: url, method: method, destination: "/dev/null")
        var chain = RedirectChain(request, settings, atMost: Self.maximumRedirects)
        var redirectCount = 0
        while true {
            let exchange = ReferenceExchange()
            try perform(chain, accepting: coding, decodes, within: seconds ?? timeoutSeconds, into: exchange)
            let status = ccurl_status(handle.pointer)
            let location = ccurl_redirect(handle.pointer).map { String(cString: $0) }
            guard try chain.follow(status: status, location: location) else {
                return ReferenceAnswer(
                    status: status, httpVersion: exchange.httpVersion, fields: exchange.fields, body: exchange.body(),
                    connectionCount: ccurl_connection_count(handle.pointer), redirectCount: redirectCount)
            }
            redirectCount += 1
        }
    }

    private func perform(
        _ chain: RedirectChain, accepting coding: String, _ decodes: Bool, within seconds: Double,
        into exchange: ReferenceExchange
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
        if decodes { try handle.set(CURLOPT_ACCEPT_ENCODING, coding) }
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

    /// The head and the body of one answer as they arrive; of the body only lengths and hashes are kept.
    final class ReferenceExchange {
        private(set) var fields: [String: String] = [:]
        private(set) var httpVersion: Substring = ""
        private var byteCount = 0
        private var hash = SHA256()
        private var inflation: Inflation?

        /// Passes bytes of libcurl to the exchange behind a context, and returns how many there were.
        static func take(
            _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
            _ use: (ReferenceExchange, UnsafeRawBufferPointer) -> Void
        ) -> Int {
            guard let bytes, let context else { return 0 }
            use(
                Unmanaged<ReferenceExchange>.fromOpaque(context).takeUnretainedValue(),
                UnsafeRawBufferPointer(start: bytes, count: count))
            return count
        }

        /// Takes a line of a head; each status line begins a new one.
        func takeLine(_ bytes: UnsafeRawBufferPointer) {
            let line = String(decoding: bytes, as: UTF8.self)
            if line.hasPrefix("HTTP/") { (fields, httpVersion) = ([:], line.dropFirst(5).prefix { !$0.isWhitespace }) }
            guard let colon = line.firstIndex(of: ":") else { return }
            let value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
            fields[line[..<colon].lowercased()] = String(value.reversed().drop(while: \.isWhitespace).reversed())
        }

        func takePiece(_ bytes: UnsafeRawBufferPointer) {
            if byteCount == 0, let encoding, ["gzip", "x-gzip", "deflate"].contains(encoding) {
                inflation = Inflation()
            }
            byteCount += bytes.count
            hash.update(bytes)
            inflation?.take(bytes)
        }

        func body() -> ReferenceReport.Body {
            let decoded = inflation?.finished()
            return ReferenceReport.Body(
                byteCount: byteCount, sha256: hash.hexadecimal(), encoding: encoding,
                decodedByteCount: decoded?.byteCount,
                decodedSHA256: decoded?.sha256)
        }

        private var encoding: String? {
            fields["content-encoding"].map { $0.lowercased() }.flatMap { $0 == "identity" ? nil : $0 }
        }
    }

    /// Decodes gzip or zlib, and keeps length and hash.
    private final class Inflation {
        private var stream = z_stream()
        private var buffer = [UInt8](repeating: 0, count: 65_536)
        private var byteCount = 0
        private var hash = SHA256()
        private var isGood: Bool
        /// True between two members of a gzip file, and at its end.
        private var isComplete = false

        init() {
            // 32 more than the window's 15 bits: the header tells gzip from zlib.
            let size = Int32(MemoryLayout<z_stream>.size)
            isGood = inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, size) == Z_OK
        }

        deinit { inflateEnd(&stream) }

        func take(_ bytes: UnsafeRawBufferPointer) {
            guard isGood, let start = bytes.baseAddress else { return }
            stream.next_in = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
            stream.avail_in = UInt32(bytes.count)
            while isGood, stream.avail_in > 0 {
                if isComplete { isGood = inflateReset(&stream) == Z_OK }
                isComplete = false
                inflateSome()
            }
        }

        private func inflateSome() {
            var status = Z_OK
            repeat {
                let count = buffer.withUnsafeMutableBytes { room in
                    stream.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    stream.avail_out = UInt32(room.count)
                    status = inflate(&stream, Z_NO_FLUSH)
                    let count = room.count - Int(stream.avail_out)
                    hash.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
                    return count
                }
                byteCount += count
            } while status == Z_OK && stream.avail_out == 0
            isComplete = status == Z_STREAM_END
            isGood = isGood && [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status)
        }

        /// The decoded body; `nil` if it could not be decoded, or was cut.
        func finished() -> (byteCount: Int, sha256: String)? {
            isGood && isComplete ? (byteCount, hash.hexadecimal()) : nil
        }
    }
}

/// An answer to the last request of a chain of redirects.
struct ReferenceAnswer {
    let status: Int
    let httpVersion: Substring
    let fields: [String: String]
    let body: ReferenceReport.Body
    let connectionCount: Int
    let redirectCount: Int

    func field(_ name: String) -> String? { fields[name] }
}

// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TrialKit

/// The child of `fetchbench --url`: finds out what the server sends before anything is measured.
///
/// One request in, one report out, each a JSON document. Its client is none of those that are compared, and nothing of
/// it is measured.
@main
enum ReferenceFetch {
    static func main() {
        OwnProgram.endsWithParent()
        guard let request = try? JSONDecoder().decode(ReferenceRequest.self, from: standardInput()) else {
            complain("standard input holds no request; `fetchbench --url` starts this program")
            _exit(64)
        }
        var course = ReferenceCourse(request)
        course.run()
        guard let text = try? JSONEncoder().encode(course.report) else { _exit(2) }
        write(text)
        _exit(0)
    }

    private static func standardInput() -> Data {
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 else { return content }
            content.append(contentsOf: buffer[..<count])
        }
    }

    private static func write(_ text: Data) {
        text.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 else { _exit(2) }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func complain(_ words: String) {
        _ = "error: \(words)\n".withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}

/// The requests by which a server shows what it sends, and their outcome.
///
/// A body is true if two requests got it. Where the first two answers differ, the server is asked again.
struct ReferenceCourse {
    private(set) var report = ReferenceReport()
    private let request: ReferenceRequest
    /// The most requests for the body: after that, the server sends another one each time.
    private static let mostBodies = 4
    /// The limit of a HEAD, which each trial would wait for.
    private static let headSeconds = 2.0

    init(_ request: ReferenceRequest) { self.request = request }

    mutating func run() {
        do throws(FetchFailure) {
            guard let url = URL(string: request.url) else { throw FetchFailure(.other, "the URL cannot be parsed") }
            var settings = FetchSettings(
                verification: .sha256, idleTimeoutSeconds: max(1, Int(request.timeoutSeconds.rounded(.up))))
            settings.certificateAuthorityPath = request.certificateAuthorityPath
            settings.target = try TargetRequest.of(request.details, for: url)
            try ask(ReferenceClient(url, settings, timeoutSeconds: request.timeoutSeconds))
        } catch {
            report.failure = error.detail
        }
    }

    private mutating func ask(_ client: ReferenceClient) throws(FetchFailure) {
        var identity = try body(of: client.fetch(.get, accepting: "identity"), from: client)
        let head = headAnswer(client)
        // A server that closes the connection late has done so by then.
        usleep(100_000)
        let compressed: ReferenceAnswer
        do throws(FetchFailure) {
            compressed = try client.fetch(.get, accepting: "gzip")
            report.headObstacle = head.obstacle ?? connectionObstacle(after: head.answer, in: compressed)
        } catch {
            // Bytes that followed the response to HEAD were read as the next response. Retry on a new connection.
            guard head.obstacle == nil else { throw error }
            compressed = try client.fetch(.get, accepting: "gzip")
            report.headObstacle = "the request behind it fails: \(error.detail)"
        }
        let gzip = try body(of: compressed, accepting: "gzip", from: client)
        var seen = [identity, gzip]
        var isAgreed = identity.contentSHA256 == gzip.contentSHA256
        while !isAgreed, seen.count < Self.mostBodies {
            identity = try body(of: client.fetch(.get, accepting: "identity"), from: client)
            isAgreed = seen.last?.contentSHA256 == identity.contentSHA256
            seen.append(identity)
        }
        report.identity = identity
        // Of a server that sends something else to those who accept gzip, the form for the others counts.
        report.gzip = gzip.contentSHA256 == identity.contentSHA256 ? gzip : nil
        report.isChanging = !isAgreed
        report.others = seen.filter { $0.contentSHA256 != identity.contentSHA256 }
    }

    /// Takes the body of an answer, which has to be a good one.
    ///
    /// One that is encoded is fetched again through libcurl, which is also URLSession's decoder and knows brotli, zstd, raw
    /// deflate and several layers; zlib knows gzip of several members, which libcurl refuses.
    private mutating func body(
        of answer: ReferenceAnswer, accepting coding: String = "identity", from client: ReferenceClient
    ) throws(FetchFailure) -> ReferenceReport.Body {
        report.status = answer.status
        report.httpVersion = String(answer.httpVersion)
        report.transferEncoding = answer.field("transfer-encoding").flatMap { $0.lowercased() == "chunked" ? nil : $0 }
        report.mediaType = answer.field("content-type")
        report.entityTag = answer.field("etag")
        report.lastModified = answer.field("last-modified")
        try StatusCheck.check(answer.status)
        var body = answer.body
        if body.encoding != nil {
            do throws(FetchFailure) {
                let decoded = try client.fetch(.get, accepting: coding, decodes: true).body
                (body.decodedByteCount, body.decodedSHA256) = (decoded.byteCount, decoded.sha256)
            } catch {
                body.decodingObstacle = error.detail
            }
        }
        guard body.byteCount > 0 || request.details?.allowsEmptyAnswer == true else {
            throw FetchFailure(.emptyBody, "status \(answer.status), no byte")
        }
        return body
    }

    private func headAnswer(_ client: ReferenceClient) -> (answer: ReferenceAnswer?, obstacle: String?) {
        // A HEAD would not be the user's request, which may be for a URL that takes nothing else.
        if let method = request.details?.method, method != "GET" { return (nil, "the request is a \(method)") }
        do throws(FetchFailure) {
            let answer = try client.fetch(.head, accepting: "identity", within: Self.headSeconds)
            guard (200..<300).contains(answer.status) else { return (answer, "its answer has status \(answer.status)") }
            return (answer, nil)
        } catch {
            return (nil, error.detail)
        }
    }

    /// The reason that shows in the request behind the HEAD: it found the connection gone, without a word.
    private func connectionObstacle(after head: ReferenceAnswer?, in next: ReferenceAnswer) -> String? {
        guard let head, head.field("connection")?.lowercased() != "close", next.connectionCount > 0,
            head.redirectCount == 0, next.redirectCount == 0
        else { return nil }
        return "the server ends the connection behind its answer, or sends a body with it"
    }
}

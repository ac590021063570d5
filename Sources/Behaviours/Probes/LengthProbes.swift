// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization

extension ProbeCatalog {
    /// Lengths that are told before a body has ended, and bodies that are sent.
    static let lengths =
        ["length", "gzip", "chunked"].map { form in
            Probe("expected-length-\(form)") { try expectedLength($0, "/text/256KiB?encoding=\(form)") }
        }
        + ["length", "gzip", "chunked"].map { form in
            Probe("expected-size-\(form)") { try expectedSize($0, "/text/256KiB?encoding=\(form)&rate=1MiB") }
        } + [
            Probe("upload-progress") { try uploadProgress($0) },
            Probe("body-stream") { try sendStream($0) },
            Probe("body-stream-length") { try sendStreamOfKnownLength($0) },
        ]

    private static func expectedLength(_ context: ProbeContext, _ path: String) throws {
        let end = Signal()
        URLSession.plain().dataTask(with: try context.url(path)) { data, response, error in
            context.report("expected", response?.expectedContentLength ?? 0)
            context.report("delivered", data?.count ?? 0)
            context.report(error: error)
            end.give()
        }.resume()
        end.take()
    }

    private static func expectedSize(_ context: ProbeContext, _ path: String) throws {
        let end = Signal()
        let seen = Mutex((expected: Set<Int64>(), written: Int64(0)))
        let delegate = ProbeDownloadDelegate(
            onProgress: { _, written, expected in
                seen.withLock {
                    $0.expected.insert(expected)
                    $0.written = written
                }
            },
            onEnd: { error in
                let (expected, written) = seen.withLock { $0 }
                context.report("expected", expected.sorted().map(String.init).joined(separator: ", "))
                context.report("delivered", written)
                context.report(error: error)
                end.give()
            })
        URLSession.plain(delegate: delegate).downloadTask(with: try context.url(path)).resume()
        end.take()
    }

    private static func uploadProgress(_ context: ProbeContext) throws {
        let end = Signal()
        let delegate = UploadDelegate(end: end)
        var request = URLRequest(url: try context.url("/sink"))
        request.httpMethod = "POST"
        URLSession.plain(delegate: delegate).uploadTask(with: request, from: Data(count: 1 << 20)).resume()
        end.take()
        let (calls, sent, expected) = delegate.seen.withLock { $0 }
        context.report("calls", calls)
        context.report("sent", sent)
        context.report("expected", expected)
    }

    private static func stream(to text: String, length: Int?) throws -> URLRequest {
        guard let url = URL(string: text) else { throw ProbeError("'\(text)' makes no URL") }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data(repeating: 0x78, count: 64 << 10))
        if let length { request.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
        return request
    }

    private static func sendStream(_ context: ProbeContext) throws {
        fetch(context, .plain(), try stream(to: context.url("/sink").absoluteString, length: nil))
    }

    /// Sends a stream with a length to a server that shows the head: the origin refuses one with two lengths.
    private static func sendStreamOfKnownLength(_ context: ProbeContext) throws {
        try ask(context, .plain(), "/bytes/1KiB")
        let server = try LoopbackServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        let (end, answered) = (Signal(), Signal())
        Thread.detachNewThread {
            server.answer(1)
            answered.give()
        }
        URLSession.plain().dataTask(with: try stream(to: server.url, length: 64 << 10)) { _, _, _ in
            end.give()
        }.resume()
        answered.take()
        end.take()
        let names = server.head.split(separator: "\r\n").compactMap { $0.split(separator: ":").first?.lowercased() }
        context.report(
            "lengths",
            names.filter { ["content-length", "transfer-encoding"].contains($0) }
                .sorted().joined(separator: " and "))
    }
}

private final class UploadDelegate: NSObject, URLSessionDataDelegate {
    let seen = Mutex((calls: 0, sent: Int64(0), expected: Int64(0)))
    private let end: Signal

    init(end: Signal) { self.end = end }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        seen.withLock { $0 = ($0.calls + 1, totalBytesSent, totalBytesExpectedToSend) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.give()
    }
}

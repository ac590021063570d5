// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import CCurl
import Foundation
import FoundationNetworking
import Glibc
import MemProbe
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A client library that several probes ask in the same way, to compare it with the others.
struct AskingClient: Sendable {
    struct Call: Sendable {
        /// Sends a GET, or a POST of so many bytes, and returns when the whole answer is there.
        var ask: @Sendable (_ path: String, _ upload: Int) async throws -> Void
        var end: @Sendable () async throws -> Void = {}
    }

    let name: String
    let suffix: String
    var keepsConnections = true
    var followsRedirects = true
    let begin: @Sendable (ProbeContext) throws -> Call

    static let urlSession = foundation("data", suffix: "") { session, request, upload, end in
        upload == 0
            ? session.dataTask(with: request) { _, _, error in end(error) }
            : session.uploadTask(with: request, from: Data(count: upload)) { _, _, error in end(error) }
    }

    static let download = foundation("download", suffix: "-download") { session, request, _, end in
        session.downloadTask(with: request) { location, _, error in
            if let location { try? FileManager.default.removeItem(at: location) }
            end(error)
        }
    }

    private static func foundation(
        _ name: String, suffix: String,
        _ task:
            @escaping @Sendable (URLSession, URLRequest, Int, @escaping @Sendable ((any Error)?) -> Void) ->
            URLSessionTask
    ) -> AskingClient {
        AskingClient(name: name, suffix: suffix) { context in
            let session = URLSession.plain()
            return Call { path, upload in
                var request = URLRequest(url: try context.url(path))
                request.httpMethod = upload == 0 ? "GET" : "POST"
                await withCheckedContinuation { [request] waiting in
                    task(session, request, upload) { error in
                        context.report(error: error)
                        waiting.resume()
                    }.resume()
                }
            }
        }
    }

    /// Those that read heads and chunks themselves.
    static let parsers = [asyncHTTPClient, nio, curl]
    static let others = parsers + [socket]

    private static let asyncHTTPClient = AskingClient(name: "ahc", suffix: "-ahc") { context in
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        return Call(
            ask: { path, upload in
                var request = HTTPClientRequest(url: try context.url(path).absoluteString)
                if upload > 0 {
                    request.method = .POST
                    request.body = .bytes(ByteBuffer(repeating: 0, count: upload))
                }
                let response = try await client.execute(request, timeout: .seconds(30))
                for try await _ in response.body {}
            }, end: { try await client.shutdown() })
    }

    /// A channel of SwiftNIO for each request, with its parser of HTTP.
    private static let nio = AskingClient(
        name: "nio", suffix: "-nio", keepsConnections: false, followsRedirects: false
    ) { context in
        let (host, port) = try context.place()
        return Call { path, upload in
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let end = loop.makePromise(of: Void.self)
            let channel = try await ClientBootstrap(group: loop).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(AnswerDropper(end))
                }
            }.connect(host: host, port: port).get()
            let fields: HTTPHeaders = ["Host": host, "Connection": "close", "Content-Length": "\(upload)"]
            let head = HTTPRequestHead(version: .http1_1, method: upload > 0 ? .POST : .GET, uri: path, headers: fields)
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            channel.write(
                HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(repeating: 0, count: upload))), promise: nil)
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            try await end.futureResult.get()
            try? await channel.close()
        }
    }

    private static let curl = AskingClient(name: "curl", suffix: "-curl") { context in
        let idle = Mutex<[CurlHandle]>([])
        return Call { path, upload in
            let url = try context.url(path).absoluteString
            try await onThread {
                let handle = idle.withLock { $0.popLast() } ?? CurlHandle()
                try handle.perform(url, upload: upload)
                idle.withLock { $0.append(handle) }
            }
        }
    }

    /// A socket and one buffer for each request, until the origin closes.
    private static let socket = AskingClient(
        name: "socket", suffix: "-socket", keepsConnections: false, followsRedirects: false
    ) { context in
        let (host, port) = try context.place()
        return Call { path, upload in
            try await onThread {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = UInt16(port).bigEndian
                inet_pton(AF_INET, host, &address.sin_addr)
                let connection = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                defer { close(connection) }
                let isOpen = withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    }
                }
                let line = upload > 0 ? "POST \(path) HTTP/1.1\r\nContent-Length: \(upload)" : "GET \(path) HTTP/1.1"
                let head = Array("\(line)\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8)
                let body = [UInt8](repeating: 0, count: upload)
                guard isOpen, SystemCall.writeAll(head, to: connection), SystemCall.writeAll(body, to: connection)
                else {
                    throw ProbeError("the origin cannot be asked: error \(errno)")
                }
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                while buffer.withUnsafeMutableBytes({ SystemCall.readSome($0, from: connection) }) > 0 {}
            }
        }
    }

    /// Does what blocks on a thread of its own: the threads of tasks are few.
    private static func onThread(_ work: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (waiting: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { waiting.resume(with: Result { try work() }) }
        }
    }
}

extension ProbeContext {
    fileprivate func place() throws(ProbeError) -> (host: String, port: Int) {
        guard let host = URL(string: origin)?.host, let port = URL(string: origin)?.port else {
            throw ProbeError("'\(origin)' has no host and port")
        }
        return (host, port)
    }
}

extension AskingClient {
    private final class AnswerDropper: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let end: EventLoopPromise<Void>

        init(_ end: EventLoopPromise<Void>) { self.end = end }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .end = unwrapInboundIn(data) { end.succeed() }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { end.fail(error) }

        func channelInactive(context: ChannelHandlerContext) { end.fail(ChannelError.eof) }
    }

    /// An easy handle of libcurl, which keeps its connection; it drops bodies and follows redirects.
    private final class CurlHandle: @unchecked Sendable {
        private let handle = curl_easy_init()

        deinit { curl_easy_cleanup(handle) }

        func perform(_ url: String, upload: Int) throws(ProbeError) {
            let body = [UInt8](repeating: 0, count: upload)
            let code = body.withUnsafeBytes { bytes in
                ccurl_set_text(handle, CURLOPT_URL, url)
                ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 1)
                ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
                ccurl_set_writer(handle, { _, size, count, _ in size * count }, nil)
                if upload > 0 {
                    ccurl_set_body(handle, bytes.baseAddress, upload)
                } else {
                    ccurl_set_long(handle, CURLOPT_HTTPGET, 1)
                }
                return curl_easy_perform(handle)
            }
            guard code == CURLE_OK else { throw ProbeError("libcurl ended with code \(code.rawValue)") }
        }
    }
}

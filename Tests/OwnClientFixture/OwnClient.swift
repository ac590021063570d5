// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Synchronization
import TrialKit

/// A client of HTTP/1.1 on a blocking socket, one connection a request, that may keep something on purpose.
final class OwnClient: Sendable {
    /// The data that it keeps of each request.
    enum Keeping: Hashable {
        case nothing
        /// A block of so many bytes with glibc's header, whose smallest one has 32.
        case blocks(Int)
        case firstBodies(Int)
    }

    // Unchecked: nobody follows the pointer.
    private struct Kept: @unchecked Sendable {
        var last: UnsafeMutableRawPointer?
        var bodies: [URL: [[UInt8]]] = [:]
    }

    private let keeping: Keeping
    private let kept = Mutex(Kept())

    init(_ keeping: Keeping) { self.keeping = keeping }

    /// The body at a URL of plain http on an address in numbers.
    func body(of url: URL) throws(FetchFailure) -> [UInt8] {
        let body = try OwnConnection(to: url).body(at: url)
        keep(body, of: url)
        return body
    }

    private func keep(_ body: [UInt8], of url: URL) {
        kept.withLock { kept in
            switch keeping {
            case .nothing: break
            case .blocks(let size):
                // Each points to the one before, as a compiler removes what nobody reaches.
                let block = UnsafeMutableRawPointer.allocate(byteCount: size - 8, alignment: 8)
                block.storeBytes(of: kept.last, as: UnsafeMutableRawPointer?.self)
                kept.last = block
            case .firstBodies(let count):
                if kept.bodies[url, default: []].count < count { kept.bodies[url, default: []].append(body) }
            }
        }
    }
}

struct OwnConnection: ~Copyable {
    private static let longestHead = 16 * 1024
    private let descriptor: Int32

    init(to url: URL) throws(FetchFailure) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(url.port ?? 80).bigEndian
        address.sin_addr.s_addr = inet_addr(url.host ?? "")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw FetchFailure(errno: errno, "no connection") }
    }

    deinit { close(descriptor) }

    /// Asks for a body, and reads it into an array that has its length from the first byte on.
    func body(at url: URL) throws(FetchFailure) -> [UInt8] {
        let target = url.path + (url.query.map { "?" + $0 } ?? "")
        let request = Array("GET \(target) HTTP/1.1\r\nHost: \(url.host ?? "")\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw FetchFailure(errno: errno, "the request was not sent")
        }
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var byte: UInt8 = 0
            guard head.count < Self.longestHead, recv(descriptor, &byte, 1, 0) == 1 else {
                throw FetchFailure(.malformedResponse, "the head has no end")
            }
            head.append(byte)
        }
        let lines = String(decoding: head, as: UTF8.self).lowercased().split(whereSeparator: \.isNewline)
        try StatusCheck.check(Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0)
        let field = lines.first { $0.hasPrefix("content-length:") }
        guard let length = field.flatMap({ Int($0.filter(\.isNumber)) }) else {
            throw FetchFailure(.malformedResponse, "the length is not told")
        }
        return try bytes(length)
    }

    private func bytes(_ length: Int) throws(FetchFailure) -> [UInt8] {
        let body = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let received = recv(descriptor, buffer.baseAddress?.advanced(by: count), length - count, 0)
                if received < 0, errno == EINTR { continue }
                guard received > 0 else { return }
                count += received
            }
        }
        guard body.count == length else { throw FetchFailure(.truncatedBody, "the body is cut") }
        return body
    }
}

/// A mode in its short form: a name, a summary and what fetches.
struct OwnClientMode: FetchMode {
    let name: String
    let summary: String
    let keeping: OwnClient.Keeping

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher { OwnFetcher(OwnClient(keeping)) }
}

private final class OwnFetcher: Fetcher {
    private let client: OwnClient

    init(_ client: OwnClient) { self.client = client }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let body = try await DetachedThread.value { [client] () throws(FetchFailure) in
            try client.body(of: request.url)
        }
        return FetchedBody(content: .memory(body), byteCount: body.count)
    }

    func invalidate() async {}
}

/// The same client on the thread of Swift's task, which a mode has to declare.
struct BlockingMode: FetchMode {
    let name: String
    let summary = "a client that blocks its thread"
    let abilities: Set<ModeAbility>

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher { BlockingFetcher() }

    private final class BlockingFetcher: Fetcher {
        private let client = OwnClient(.nothing)

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            let body = try client.body(of: request.url)
            return FetchedBody(content: .memory(body), byteCount: body.count)
        }

        func invalidate() async {}
    }
}

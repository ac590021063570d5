// SPDX-License-Identifier: Apache-2.0

// It owns the names of sockets, because NIO and libcurl include their header before Glibc's module does.
import CCurl
import Foundation
import Glibc
import MemProbe
import Synchronization

/// A server on 127.0.0.1 or ::1 with one raw answer for each connection: what the origin does not say.
final class LoopbackServer: Sendable {
    private let descriptor: Int32
    let port: UInt16
    private let host: String
    private let answer: String
    private let seen = Mutex("")

    /// - Parameters:
    ///   - answer: The whole answer, or an empty one to reset the connection when the request has arrived.
    ///   - isIPv6: True for a server on ::1.
    init(answer: String, isIPv6: Bool = false) throws(ProbeError) {
        (descriptor, port) = try isIPv6 ? Self.listening(on: Self.address6) : Self.listening(on: Self.address4)
        host = isIPv6 ? "[::1]" : "127.0.0.1"
        self.answer = answer
    }

    fileprivate static var address4: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static var address6: sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return address
    }

    /// Listens on a free port; both kinds of address have the port at the same place.
    fileprivate static func listening<Address>(on address: Address) throws(ProbeError) -> (Int32, UInt16) {
        var address = address
        let family = withUnsafeBytes(of: &address) { Int32($0.load(as: sa_family_t.self)) }
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        var length = socklen_t(MemoryLayout<Address>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isBound else { throw ProbeError("no port of this machine's own address can be bound: error \(errno)") }
        return (
            descriptor, withUnsafeBytes(of: &address) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
        )
    }

    var head: String { seen.withLock { $0 } }

    var url: String { "http://\(host):\(port)/" }

    /// Answers this many connections, one after another, and returns after the last.
    func answer(_ count: Int) {
        for _ in 0..<count {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { return }
            var head = [UInt8](repeating: 0, count: 16 << 10)
            let count = head.withUnsafeMutableBytes { SystemCall.readSome($0, from: connection) }
            let text = String(decoding: head.prefix(max(0, count)), as: UTF8.self)
            seen.withLock { $0 = text }
            if answer.isEmpty {
                // Without lingering, closing resets.
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            } else {
                _ = SystemCall.writeAll(answer.utf8, to: connection)
            }
            close(connection)
        }
    }

    /// A server on 127.0.0.1 that answers the first request of its first connection, and closes it on the second one.
    ///
    /// It closes when the request has arrived whole, without any answer. Every later connection is answered once.
    final class KeptConnection: Sendable {
        /// The requests that arrived on a path, and those of them with their bodies.
        struct Count: Sendable {
            var heads = 0
            var whole = 0
        }

        let port: UInt16
        private let descriptor: Int32
        private let counts = Mutex<[String: Count]>([:])

        init() throws(ProbeError) {
            (descriptor, port) = try LoopbackServer.listening(on: LoopbackServer.address4)
        }

        func count(_ path: String) -> Count { counts.withLock { $0[path] ?? Count() } }

        /// Serves for the rest of the process, each connection on a thread of its own.
        func start() {
            Thread.detachNewThread { [self] in
                var isFirst = true
                while true {
                    let connection = accept(descriptor, nil, nil)
                    guard connection >= 0 else { return }
                    let keeps = isFirst
                    isFirst = false
                    Thread.detachNewThread { [self] in serve(connection, keeps: keeps) }
                }
            }
        }

        private func serve(_ connection: Int32, keeps: Bool) {
            defer { close(connection) }
            guard read(connection) else { return }
            _ = SystemCall.writeAll("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8, to: connection)
            // On the first connection this request is the one without an answer.
            if keeps { _ = read(connection) }
        }

        /// Counts a request; returns false if its connection ends before it has arrived whole.
        private func read(_ connection: Int32) -> Bool {
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 4096)
            var path: String?
            while true {
                let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 {
                    if path == nil {
                        path = parts[0].split(separator: " ").dropFirst().first.map(String.init) ?? ""
                        counts.withLock { $0[path ?? "", default: Count()].heads += 1 }
                    }
                    if parts[1].utf8.count >= Self.bodyLength(parts[0]) {
                        counts.withLock { $0[path ?? "", default: Count()].whole += 1 }
                        return true
                    }
                }
                let count = buffer.withUnsafeMutableBytes { SystemCall.readSome($0, from: connection) }
                guard count > 0 else { return false }
                text += String(decoding: buffer.prefix(count), as: UTF8.self)
            }
        }

        private static func bodyLength(_ head: Substring) -> Int {
            let field = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            return field.flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
                ?? 0
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

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

    private static var address4: sockaddr_in {
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
    private static func listening<Address>(on address: Address) throws(ProbeError) -> (Int32, UInt16) {
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

    /// The beginning of the last request.
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
}

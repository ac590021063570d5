// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Synchronization

/// A server on 127.0.0.1 with one raw answer for each connection: what the origin does not say.
final class LoopbackServer: Sendable {
    private let descriptor: Int32
    let port: UInt16
    private let answer: String
    private let seen = Mutex("")

    /// - Parameter answer: The whole answer, or an empty one to reset the connection when the request has arrived.
    init(answer: String) throws(ProbeError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isBound else { throw ProbeError("no port of 127.0.0.1 can be bound: error \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
        self.answer = answer
    }

    /// The beginning of the last request.
    var head: String { seen.withLock { $0 } }

    var url: String { "http://127.0.0.1:\(port)/" }

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

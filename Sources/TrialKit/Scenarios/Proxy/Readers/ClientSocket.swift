// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A connected, blocking socket to a port of 127.0.0.1.
final class ClientSocket {
    private let descriptor: Int32

    init(port: Int, receiveBufferByteCount: Int32) throws(ReaderFailure) {
        let candidate = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard candidate >= 0 else { throw Self.failure("no socket can be made") }
        // Before it connects: afterwards the other side has been told how much it may send.
        var size = receiveBufferByteCount
        setsockopt(candidate, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in.loopback(port: port)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(candidate, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            defer { close(candidate) }
            throw Self.failure("connecting failed")
        }
        descriptor = candidate
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) throws(ReaderFailure) {
        guard SocketCall.sendAll(text, to: descriptor) else { throw Self.failure("asking failed") }
    }

    /// Receives what is there; 0 at the end.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(ReaderFailure) -> Int {
        let count = SocketCall.receive(buffer, from: descriptor)
        if count >= 0 { return count }
        // What was cut off ends here: its length and its hash will tell.
        if errno == ECONNRESET { return 0 }
        throw Self.failure("reading failed")
    }

    private static func failure(_ what: String) -> ReaderFailure {
        ReaderFailure("\(what): \(String(cString: strerror(errno)))")
    }
}

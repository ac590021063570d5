// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A non-blocking socket of the server, closed with its last reference.
final class ServerSocket: Sendable {
    /// The kernel's buffer for what a slow reader has not read; the kernel doubles it for its own use.
    static let sendBufferByteCount: Int32 = 32 * 1024

    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Returns a socket that listens on a free port of 127.0.0.1.
    static func listening() throws(FetchFailure) -> ServerSocket {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = ServerSocket(socket(AF_INET, type, 0))
        guard listener.descriptor >= 0 else { throw failure("no socket can be made") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0, listen(listener.descriptor, SOMAXCONN) == 0 else { throw failure("nothing can be served") }
        return listener
    }

    func port() throws(FetchFailure) -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard status == 0 else { throw Self.failure("the server has no port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    func accepted() -> ServerSocket? {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return nil }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        var size = Self.sendBufferByteCount
        setsockopt(client, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        return ServerSocket(client)
    }

    /// Receives available bytes; returns 0 at the end and `nil` if there are none yet.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(FetchFailure) -> Int? {
        let count = SocketCall.receive(buffer, from: descriptor)
        if count >= 0 { return count }
        if errno == EAGAIN { return nil }
        throw Self.failure("a reader's request did not arrive")
    }

    /// Sends as many bytes as there is room for.
    func send(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Int {
        let count = SocketCall.sendSome(bytes, to: descriptor)
        if count >= 0 { return count }
        if errno == EAGAIN { return 0 }
        throw Self.failure("a reader went away")
    }

    private static func failure(_ what: String) -> FetchFailure {
        FetchFailure(errno: errno, what)
    }
}

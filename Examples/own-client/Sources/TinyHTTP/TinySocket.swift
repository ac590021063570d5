// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A connected, blocking socket.
final class TinySocket {
    private let descriptor: CInt

    init(host: String, port: Int, timeoutSeconds: Int) throws {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let first = list else {
            throw TinyError.noConnection(ENOENT)
        }
        defer { freeaddrinfo(list) }
        descriptor = socket(first.pointee.ai_family, first.pointee.ai_socktype | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TinyError.noConnection(errno) }
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        guard connect(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0 else {
            throw TinyError.noConnection(errno)
        }
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TinyError.lost(errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Receives the available bytes, at most the size of the buffer; 0 if the peer has closed the connection.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        #if SPINS_WHILE_IT_WAITS
            // The mistake of a third build: a tenth of each wait is spent on the processor.
            let start = ContinuousClock.now
            defer {
                let waited = start.duration(to: .now)
                while start.duration(to: .now) < waited * 10 / 9 {}
            }
        #endif
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            if errno != EINTR { throw TinyError.lost(errno) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
import MemProbe

/// A connected, blocking socket.
package final class TCPSocket: Sendable {
    private let descriptor: Int32
    private let line: SocketLine

    /// Connects to the first address of a host that accepts.
    /// - Parameters:
    ///   - idleTimeoutSeconds: The limit of each wait; 0 for none.
    ///   - receiveBufferByteCount: The kernel's buffer for a client that does not read; the kernel doubles it for its
    ///     own use.
    ///   - line: Ends every wait when it is cut, including the one for the connection.
    package init(
        host: String, port: Int, idleTimeoutSeconds: Int, receiveBufferByteCount: Int32? = nil,
        line: SocketLine = SocketLine()
    ) throws(FetchFailure) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let unbracketed = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let status = getaddrinfo(unbracketed, String(port), &hints, &list)
        guard status == 0, let list else {
            throw FetchFailure(.hostNotFound, "host not found: \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(list) }
        self.line = line
        descriptor = try Self.connect(
            toOneOf: list, idleTimeoutSeconds: idleTimeoutSeconds, receiveBufferByteCount, line)
    }

    package init(connected descriptor: Int32, line: SocketLine = SocketLine()) {
        (self.descriptor, self.line) = (descriptor, line)
        line.hold(descriptor)
    }

    deinit { line.close(descriptor) }

    /// The port of this end.
    package var localPort: Int {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        // Both kinds of address have it at the same place.
        return withUnsafeBytes(of: &address) { Int(UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self))) }
    }

    package func send(_ text: String) throws(FetchFailure) { try send(Array(text.utf8)) }

    package func send(_ bytes: some ContiguousBytes) throws(FetchFailure) {
        // Typed throws do not pass through `withUnsafeBytes`, so the result is carried out.
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(FetchFailure) in try sendAll(of: bytes) }
        }.get()
    }

    private func sendAll(of bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        guard SocketCall.sendAll(bytes, to: descriptor) else { throw Self.failure("sending the request failed") }
    }

    /// Receives available bytes, and returns 0 if the other side has closed.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) throws(FetchFailure) -> Int {
        let count = SocketCall.receive(buffer, from: descriptor)
        guard count >= 0 else { throw Self.failure("receiving failed") }
        return count
    }

    private static func connect(
        toOneOf list: UnsafeMutablePointer<addrinfo>, idleTimeoutSeconds: Int, _ receiveBufferByteCount: Int32?,
        _ line: SocketLine
    ) throws(FetchFailure) -> Int32 {
        var failure = FetchFailure(.unreachable, "the host has no address")
        var next: UnsafeMutablePointer<addrinfo>? = list
        while let address = next?.pointee {
            let candidate = socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard candidate >= 0 else { throw Self.failure("no socket can be made") }
            var timeout = timeval(tv_sec: idleTimeoutSeconds, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                setsockopt(candidate, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
            }
            // Before connecting, because the receive window is announced then.
            if var size = receiveBufferByteCount {
                setsockopt(candidate, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            }
            line.hold(candidate)
            if Glibc.connect(candidate, address.ai_addr, address.ai_addrlen) == 0, !line.isCut { return candidate }
            failure = line.isCut ? .cancelled : Self.failure("connecting failed")
            line.close(candidate)
            next = address.ai_next
        }
        throw failure
    }

    private static func failure(_ what: String) -> FetchFailure {
        FetchFailure(errno: errno, what)
    }
}

/// Socket calls that retry after a signal; `errno` has the reason of a failure.
package enum SocketCall {
    /// Receives available bytes; returns 0 at the end, and a negative number on failure.
    package static func receive(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt) -> Int {
        SystemCall.retried { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends as many bytes as there is room for; returns a negative number on failure, such as a closed connection.
    package static func sendSome(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Int {
        SystemCall.retried { send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Sends all bytes and waits for room; returns `false` on failure.
    package static func sendAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = sendSome(rest, to: descriptor)
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    package static func sendAll(_ text: String, to descriptor: CInt) -> Bool {
        var text = text
        return text.withUTF8 { sendAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}

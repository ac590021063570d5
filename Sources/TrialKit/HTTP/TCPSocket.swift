// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc

/// A connected, blocking socket.
package final class TCPSocket {
    private let descriptor: Int32
    private let line: SocketLine

    /// Connects to the first address of a host that answers.
    /// - Parameters:
    ///   - idleTimeoutSeconds: How long a wait may take; 0 for ever.
    ///   - receiveBufferByteCount: How much the kernel takes for a client that does not read; it doubles that for its own
    ///     purposes.
    ///   - line: Ends every wait on the socket, from that for the connection on, when it is cut.
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

    /// Takes over a socket that is connected already.
    package init(connected descriptor: Int32, line: SocketLine = SocketLine()) {
        self.descriptor = descriptor
        self.line = line
        line.hold(descriptor)
    }

    deinit {
        line.close(descriptor)
    }

    package func send(_ text: String) throws(FetchFailure) {
        try send(Array(text.utf8))
    }

    package func send(_ bytes: some ContiguousBytes) throws(FetchFailure) {
        // Typed throws do not pass through `withUnsafeBytes`, so the result is carried out.
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(FetchFailure) in try sendAll(of: bytes) }
        }.get()
    }

    private func sendAll(of bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        guard SocketCall.sendAll(bytes, to: descriptor) else { throw Self.failure("sending the request failed") }
    }

    /// Receives what is there, at most the size of the buffer; 0 where the other side has closed.
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
            // Before it connects: afterwards the other side has been told how much it may send.
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

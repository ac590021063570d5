// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Sockets that are closed with this object: TCP connections full of bytes that are not read, and others that are idle.
final class UnreadSockets {
    struct Failure: Error {
        let call: String
        let errno: CInt
    }

    private(set) var sentByteCount = 0
    private var descriptors: [CInt] = []

    /// Opens them, and sends.
    init(idle: Int) throws {
        do {
            for _ in 0..<idle { descriptors.append(try Self.checked("socket", socket(AF_INET, Self.datagram, 0))) }
            // The kernel counts in batches of 1 MiB for each processor.
            for _ in 0..<4 { try fill() }
        } catch {
            descriptors.forEach { close($0) }
            throw error
        }
    }

    deinit {
        descriptors.forEach { close($0) }
    }

    private static let datagram = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    private static let stream = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    private func fill() throws {
        let listener = try Self.checked("socket", socket(AF_INET, Self.stream, 0))
        descriptors.append(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let sender = try Self.checked("socket", socket(AF_INET, Self.stream, 0))
        descriptors.append(sender)
        try withUnsafeMutablePointer(to: &address) { address in
            try address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                try Self.checked("bind", bind(listener, address, length))
                try Self.checked("listen", listen(listener, 1))
                try Self.checked("getsockname", getsockname(listener, address, &length))
                try Self.checked("connect", connect(sender, address, length))
            }
        }
        descriptors.append(try Self.checked("accept", accept(listener, nil, nil)))
        let piece = [UInt8](repeating: 0xA5, count: 16_384)
        // A few mebibytes, until the kernel takes no more.
        for _ in 0..<1000 {
            let sent = send(sender, piece, piece.count, CInt(MSG_DONTWAIT))
            guard sent > 0 else { break }
            sentByteCount += sent
        }
    }

    @discardableResult
    private static func checked(_ call: String, _ result: CInt) throws -> CInt {
        guard result >= 0 else { throw Failure(call: call, errno: errno) }
        return result
    }
}

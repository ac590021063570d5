// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A plain socket that answers one connection after another with whatever bytes a test wants.
final class SocketServer: Sendable {
    /// What is sent to a request, which is closed afterwards; `nil` sends nothing and keeps the connection open.
    typealias Answer = @Sendable (_ request: String) -> [UInt8]?

    /// Where it listens.
    let port: Int
    /// The beginning of its URLs.
    var url: String { "http://127.0.0.1:\(port)" }

    private let descriptor: Int32
    private let kept = Mutex<[Int32]>([])

    init(_ answer: @escaping Answer) throws {
        (descriptor, port) = try Self.listeningSocket()
        Thread.detachNewThread { [descriptor, weak self] in
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                let request = Self.request(from: connection)
                if let bytes = answer(request) {
                    _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                    close(connection)
                } else if let self {
                    self.kept.withLock { $0.append(connection) }
                } else {
                    close(connection)
                }
            }
            close(descriptor)
        }
    }

    deinit {
        // Wakes the thread out of accept; it closes the descriptor.
        shutdown(descriptor, Int32(SHUT_RDWR))
        kept.withLock { for connection in $0 { close(connection) } }
    }

    /// A complete response.
    static func response(_ body: String) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8)
    }

    /// A port on which nothing listens now.
    static func freePort() throws -> Int {
        let (descriptor, port) = try listeningSocket()
        close(descriptor)
        return port
    }

    /// Whether something accepts connections on a port of 127.0.0.1.
    static func answers(on port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: port)
        return withGeneric(&address) { connect(descriptor, $0, $1) == 0 }
    }

    private static func listeningSocket() throws -> (Int32, Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(port: 0)
        guard withGeneric(&address, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
            throw Obstacle("no free port: \(String(cString: strerror(errno)))")
        }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withGeneric<Value>(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Reads a request up to the empty line that ends its header.
    private static func request(from connection: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

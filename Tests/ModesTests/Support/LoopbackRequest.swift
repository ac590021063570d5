// SPDX-License-Identifier: Apache-2.0

import Glibc
import TrialKit

/// A request as the server of the tests reads it.
struct LoopbackRequest {
    /// The first line and the fields, with the empty line that ends them.
    let head: String
    /// What follows, as long as its length says.
    let body: [UInt8]

    /// Reads a request, or nothing of what does not begin with a method, as a TLS handshake does not.
    init?(receivedFrom connection: Int32) {
        let end = Array("\r\n\r\n".utf8)
        var bytes: [UInt8] = []
        var bodyStart: Int?
        while bodyStart == nil {
            let last = bytes.count
            guard Self.receive(from: connection, into: &bytes) else { return nil }
            guard let first = bytes.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return nil }
            let from = max(0, last - end.count)
            bodyStart = bytes[from...].indices.first { bytes[$0...].starts(with: end) }.map { $0 + end.count }
        }
        head = String(decoding: bytes[..<(bodyStart ?? 0)], as: UTF8.self)
        bytes.removeFirst(bodyStart ?? 0)
        if head.lowercased().contains("\r\nexpect: 100-continue\r\n") {
            let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
            guard send(connection, interim, interim.count, Int32(MSG_NOSIGNAL)) == interim.count else { return nil }
        }
        let field = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
        let length = field?.split(separator: " ").last.flatMap { Int($0) } ?? 0
        while bytes.count < length {
            guard Self.receive(from: connection, into: &bytes) else { return nil }
        }
        body = bytes
    }

    private static func receive(from connection: Int32, into bytes: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        bytes += buffer[..<count]
        return true
    }
}

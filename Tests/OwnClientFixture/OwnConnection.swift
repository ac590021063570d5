// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TrialKit

/// A connection for one request.
struct OwnConnection: ~Copyable {
    private static let longestHead = 16 * 1024
    private let descriptor: Int32

    init(to url: URL) throws(FetchFailure) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(url.port ?? 80).bigEndian
        address.sin_addr.s_addr = inet_addr(url.host ?? "")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw FetchFailure(errno: errno, "no connection") }
    }

    deinit {
        close(descriptor)
    }

    /// Asks for a body, and reads it into an array that has its length from the first byte on.
    func body(at url: URL) throws(FetchFailure) -> [UInt8] {
        let target = url.path + (url.query.map { "?" + $0 } ?? "")
        let request = Array("GET \(target) HTTP/1.1\r\nHost: \(url.host ?? "")\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw FetchFailure(errno: errno, "the request was not sent")
        }
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var byte: UInt8 = 0
            guard head.count < Self.longestHead, recv(descriptor, &byte, 1, 0) == 1 else {
                throw FetchFailure(.malformedResponse, "the head has no end")
            }
            head.append(byte)
        }
        let lines = String(decoding: head, as: UTF8.self).lowercased().split(whereSeparator: \.isNewline)
        try StatusCheck.check(Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0)
        let field = lines.first { $0.hasPrefix("content-length:") }
        guard let length = field.flatMap({ Int($0.filter(\.isNumber)) }) else {
            throw FetchFailure(.malformedResponse, "the length is not told")
        }
        return try bytes(length)
    }

    private func bytes(_ length: Int) throws(FetchFailure) -> [UInt8] {
        let body = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let received = recv(descriptor, buffer.baseAddress?.advanced(by: count), length - count, 0)
                if received < 0, errno == EINTR { continue }
                guard received > 0 else { return }
                count += received
            }
        }
        guard body.count == length else { throw FetchFailure(.truncatedBody, "the body is cut") }
        return body
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TrialKit

/// Ports of 127.0.0.1 that nobody else can take.
enum LoopbackPort {
    /// A socket bound to a free port; nobody listens on it yet, so that connections to it are refused.
    static func bind() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw POSIXError(.EADDRINUSE) }
        return descriptor
    }

    /// The port of a bound socket.
    static func number(of descriptor: Int32) throws -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { throw POSIXError(.EBADF) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

extension sockaddr_in {
    /// Returns the address of a port of 127.0.0.1.
    static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import Runs

package struct OriginConfiguration: Sendable {
    package var host: String

    package var port: Int

    package var rate: TransferRate
    let line = PacingSchedule.SharedLine()

    /// The delay of the first byte of each answer except an observer's, in nanoseconds.
    ///
    /// It simulates one round trip per request on any connection; the handshakes of TCP and TLS are not delayed.
    package var latencyNanoseconds = 0

    package var library: AssetLibrary

    /// True if the origin may be reachable from other machines.
    ///
    /// It has no authentication, and its faults are made to hurt clients.
    package var allowNonLoopback: Bool

    /// TLS on a second, free port, and HTTP/2 on a third one if it has that; `nil` for the plain port alone.
    package var security: OriginSecurity?

    /// The number of threads that serve connections; a connection stays on its thread.
    package var threadCount: Int

    package var journalPath: String?

    /// Creates a configuration; by default a free port of 127.0.0.1, 60 MiB/s and one thread.
    package init(
        host: String = "127.0.0.1", port: Int = 0, rate: TransferRate = .standard, library: AssetLibrary,
        allowNonLoopback: Bool = false, security: OriginSecurity? = nil, threadCount: Int = 1,
        journalPath: String? = nil
    ) {
        (self.host, self.port, self.rate, self.library) = (host, port, rate, library)
        (self.allowNonLoopback, self.security) = (allowNonLoopback, security)
        (self.threadCount, self.journalPath) = (threadCount, journalPath)
    }
}

extension OriginConfiguration {
    /// The address to bind: 127.0.0.1 for `localhost`, whatever the resolver says.
    package func bindAddress() throws -> String {
        let address = host == "localhost" ? "127.0.0.1" : host
        guard allowNonLoopback || Self.isLoopback(address) else {
            throw FetchBenchError("\(host) can be reached from other machines; the origin listens on 127.0.0.1")
        }
        guard (0...65_535).contains(port) else {
            throw FetchBenchError("invalid port \(port): expected 0 to 65535")
        }
        guard threadCount > 0 else { throw FetchBenchError("an origin needs at least one thread") }
        return address
    }

    package static func isLoopback(_ address: String) -> Bool {
        if address == "::1" { return true }
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// How an origin speaks TLS, as the target OriginTLS makes it: a plain origin links no library for it.
package struct OriginSecurity: Sendable {
    package typealias Setup = @Sendable (any Channel, OriginServer.Pipeline) -> EventLoopFuture<Void>

    package static let handlerName = "TLS"

    let authorityPEM: String

    let prepareHTTP1: Setup

    /// Prepares a connection for what the client negotiates, HTTP/2 or HTTP/1.1; `nil` if HTTP/2 is not offered.
    let prepareHTTP2: Setup?

    package init(authorityPEM: String, prepareHTTP1: @escaping Setup, prepareHTTP2: Setup?) {
        (self.authorityPEM, self.prepareHTTP1) = (authorityPEM, prepareHTTP1)
        self.prepareHTTP2 = prepareHTTP2
    }
}

// SPDX-License-Identifier: Apache-2.0

import COriginCertificate
import NIOSSL
package import Runs

/// The address, contents and speed of an origin.
package struct OriginConfiguration: Sendable {
    package var host: String

    /// The port, or 0 for a free one.
    package var port: Int

    /// The rate of requests that specify none.
    package var rate: TransferRate

    /// The delay of the first byte of each answer except an observer's, in nanoseconds.
    ///
    /// It simulates one round trip per request on any connection; the handshakes of TCP and TLS are not delayed.
    package var latencyNanoseconds = 0

    package var library: AssetLibrary

    /// True if the origin may be reachable from other machines.
    ///
    /// It has no authentication, and its faults are made to hurt clients.
    package var allowNonLoopback: Bool

    /// True if the origin also listens on a second, free port, with a certificate that it makes when it starts.
    ///
    /// The certificate is for `localhost`, 127.0.0.1 and ::1; the protocol is HTTP/1.1 there, too.
    package var offersTLS: Bool

    /// True if the origin with TLS also listens on a third, free port, where clients may negotiate HTTP/2.
    package var offersHTTP2 = false

    /// The number of threads that serve connections; a connection stays on its thread.
    package var threadCount: Int

    /// The file of the ``SentJournal``, or `nil` for none.
    package var journalPath: String?

    /// Creates a configuration; by default a free port of 127.0.0.1, 60 MiB/s and one thread.
    package init(
        host: String = "127.0.0.1", port: Int = 0, rate: TransferRate = .standard, library: AssetLibrary,
        allowNonLoopback: Bool = false, offersTLS: Bool = false, threadCount: Int = 1,
        journalPath: String? = nil
    ) {
        self.host = host
        self.port = port
        self.rate = rate
        self.library = library
        self.allowNonLoopback = allowNonLoopback
        self.offersTLS = offersTLS
        self.threadCount = threadCount
        self.journalPath = journalPath
    }
}

extension OriginConfiguration {
    /// The address to bind: 127.0.0.1 for `localhost`, whatever the resolver says.
    ///
    /// - Throws: ``AssetError/Code/address`` for an address that is not loopback, unless that is allowed.
    package func bindAddress() throws(AssetError) -> String {
        let address = host == "localhost" ? "127.0.0.1" : host
        guard allowNonLoopback || Self.isLoopback(address) else {
            throw AssetError(.address, "\(host) can be reached from other machines; the origin listens on 127.0.0.1")
        }
        guard (0...65_535).contains(port) else {
            throw AssetError(.address, "invalid port \(port): expected 0 to 65535")
        }
        guard threadCount > 0 else { throw AssetError(.address, "an origin needs at least one thread") }
        return address
    }

    package static func isLoopback(_ address: String) -> Bool {
        if address == "::1" { return true }
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// A certificate for TLS made now, and the authority that signed it.
///
/// The authority's key is discarded after one signature; the certificate's key never leaves the process.
struct OriginIdentity {
    /// The authority's certificate, in PEM, for clients to trust.
    let authorityPEM: String

    /// TLS for HTTP/1.1 only.
    let context: NIOSSLContext

    /// TLS for HTTP/2, or HTTP/1.1 for a client that does not speak it.
    let http2Context: NIOSSLContext

    private static let lifetime: CInt = 30

    init() throws(AssetError) {
        var made = corigin_certificate()
        guard corigin_certificate_make(Self.lifetime, &made), let authority = made.authority else {
            throw AssetError(.network, "cannot make a certificate: \(Self.reason)")
        }
        defer { corigin_certificate_release(&made) }
        authorityPEM = String(cString: authority)
        do {
            context = try Self.context(made, protocols: ["http/1.1"])
            http2Context = try Self.context(made, protocols: ["h2", "http/1.1"])
        } catch {
            throw AssetError(.network, "cannot use the certificate: \(error)")
        }
    }

    private static func context(_ made: corigin_certificate, protocols: [String]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(bytes(made.certificate))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: bytes(made.key), format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }

    private static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8] {
        text.map { Array(String(cString: $0).utf8) } ?? []
    }

    private static var reason: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            corigin_certificate_reason(start, UInt(buffer.count))
            return String(cString: start)
        }
    }
}

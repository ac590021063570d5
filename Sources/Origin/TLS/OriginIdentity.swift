// SPDX-License-Identifier: Apache-2.0

import COriginCertificate
import NIOSSL

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

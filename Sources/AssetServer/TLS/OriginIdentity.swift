// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import NIOSSL
import SwiftASN1
import X509

/// Who an origin is over TLS: a certificate made now, and the authority that signed it.
///
/// The authority signs once and its key is forgotten; the certificate's key never leaves the process.
struct OriginIdentity {
    /// The authority's certificate, for clients to trust.
    let authorityPEM: String

    /// What connections are encrypted with.
    let context: NIOSSLContext

    /// Makes an authority and a certificate that it signed, valid for 30 days.
    init() throws(AssetError) {
        do {
            (authorityPEM, context) = try Self.make()
        } catch {
            throw AssetError(.network, "cannot make a certificate: \(error)")
        }
    }

    /// How long the certificates are valid, in seconds: 30 days.
    private static let lifetime = 30.0 * 86_400

    private static func make() throws -> (String, NIOSSLContext) {
        let authorityKey = P256.Signing.PrivateKey()
        let authority = try self.authority(authorityKey)
        let key = P256.Signing.PrivateKey()
        let leaf = try self.leaf(key, of: authority, authorityKey)
        var serializer = DER.Serializer()
        try serializer.serialize(leaf)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: serializer.serializedBytes, format: .der))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return (try authority.serializeAsPEM().pemString + "\n", try NIOSSLContext(configuration: configuration))
    }

    /// The certificate of the authority, which signs certificates of servers and nothing else.
    private static func authority(_ key: P256.Signing.PrivateKey) throws -> Certificate {
        // Every authority has a name of its own, so that no client takes one for another.
        let number = Certificate.SerialNumber()
        let name = try DistinguishedName {
            OrganizationName("fetchbench")
            CommonName("fetchbench authority \(number.description.suffix(11))")
        }
        let own = Certificate.PrivateKey(key)
        return try certificate(number, own.publicKey, subject: name, issuer: name, own) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            SubjectKeyIdentifier(hash: own.publicKey)
        }
    }

    /// The certificate of the origin.
    private static func leaf(
        _ key: P256.Signing.PrivateKey, of authority: Certificate, _ authorityKey: P256.Signing.PrivateKey
    ) throws -> Certificate {
        let name = try DistinguishedName {
            OrganizationName("fetchbench")
            CommonName("localhost")
        }
        let publicKey = Certificate.PrivateKey(key).publicKey
        let signer = Certificate.PrivateKey(authorityKey)
        let number = Certificate.SerialNumber()
        return try certificate(number, publicKey, subject: name, issuer: authority.subject, signer) {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames([
                .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                .ipAddress(ASN1OctetString(contentBytes: [UInt8](repeating: 0, count: 15) + [1])),
            ])
            SubjectKeyIdentifier(hash: publicKey)
            AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: signer.publicKey).keyIdentifier)
        }
    }

    /// A certificate that is valid from an hour ago, because clocks differ.
    private static func certificate(
        _ number: Certificate.SerialNumber, _ key: Certificate.PublicKey, subject: DistinguishedName,
        issuer: DistinguishedName, _ signer: Certificate.PrivateKey,
        @ExtensionsBuilder _ extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> Certificate {
        let begin = Date(timeIntervalSinceNow: -3600)
        return try Certificate(
            version: .v3, serialNumber: number, publicKey: key, notValidBefore: begin,
            notValidAfter: begin.addingTimeInterval(lifetime), issuer: issuer, subject: subject,
            extensions: try extensions().get(), issuerPrivateKey: signer)
    }
}

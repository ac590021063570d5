// SPDX-License-Identifier: Apache-2.0

/// Under which conditions a case fetches its asset: the dimensions that most plans leave as they are.
///
/// What is as it usually is stands in no case's identifier, so that plans can get new dimensions without renaming
/// the cases that people have budgets and baselines of.
public struct FetchConditions: Hashable, Sendable {
    /// How many fetches of the asset there are at once.
    public var concurrency = 1
    /// How long the consumer takes for each piece of the body, in nanoseconds.
    public var consumerDelayNanoseconds = 0
    /// The configuration of URLSession's session.
    public var session = SessionKind.ephemeral
    /// How the end of the body is marked on its way, and whether it is compressed.
    public var transfer = TransferEncoding.length
    /// The protocol between the trial and the embedded origin.
    public var scheme = OriginScheme.http

    /// What a plan has that says nothing.
    public static let standard = FetchConditions()

    /// Creates the usual conditions.
    public init() {}
}

extension FetchConditions: Codable {
    private enum CodingKeys: String, CodingKey {
        case concurrency, session, transfer, scheme
        case consumerDelayNanoseconds = "consumer_delay_ns"
    }

    /// Decodes conditions; what is not there is as usual.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        concurrency = try container.decodeIfPresent(Int.self, forKey: .concurrency) ?? 1
        consumerDelayNanoseconds = try container.decodeIfPresent(Int.self, forKey: .consumerDelayNanoseconds) ?? 0
        session = try container.decodeIfPresent(SessionKind.self, forKey: .session) ?? .ephemeral
        transfer = try container.decodeIfPresent(TransferEncoding.self, forKey: .transfer) ?? .length
        scheme = try container.decodeIfPresent(OriginScheme.self, forKey: .scheme) ?? .http
    }
}

/// How the embedded origin sends a body.
public enum TransferEncoding: String, Codable, Hashable, Sendable, CaseIterable {
    /// With a `Content-Length`.
    case length
    /// In chunks, the last of which is empty.
    case chunked
    /// Compressed, in chunks; the mode decodes it.
    case gzip
}

/// The protocol that is spoken with the embedded origin.
public enum OriginScheme: String, Codable, Hashable, Sendable, CaseIterable {
    /// In the clear.
    case http
    /// Over TLS, with a certificate that the origin makes for the run.
    case https
}

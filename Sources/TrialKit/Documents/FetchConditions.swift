// SPDX-License-Identifier: Apache-2.0

public import MemProbe

/// The conditions of a fetch: dimensions that most plans leave at their defaults.
///
/// Defaults are left out of a case's identifier, so that new dimensions do not rename the cases of existing budgets and
/// baselines.
public struct FetchConditions: Hashable, Sendable {
    /// The number of concurrent fetches of the asset.
    public var concurrency = 1
    /// The time that the consumer takes for each piece of the body, in nanoseconds.
    public var consumerDelayNanoseconds = 0
    /// The kind of URLSession configuration.
    public var session = SessionKind.bare
    /// The framing and the compression of the body.
    public var transfer = TransferEncoding.length
    /// The protocol between the trial and the embedded origin.
    public var scheme = OriginScheme.http
    /// The mark that growth counts from.
    public var start = TrialStart.warm
    /// The scenario that replaces the single fetch.
    public var scenario = ScenarioChoice.none
    /// The name of the policy by which a scenario loads pictures.
    public var loader = FetchConditions.usualLoader
    /// The time at which pictures are shown.
    public var display = PictureDisplay.verified
    /// The version of HTTP between the trial and the embedded origin.
    public var http = HTTPProtocol.http1

    /// The file system on which the file of a mode has to end.
    public var destination = FetchDestination.same
    /// The limit of the trial's control group, which the harness sets without telling the program; `nil` for none.
    public var containerLimit: ByteCount?
    /// The bytes of the body in each HTTP chunk, which the URL tells the origin; `nil` for a chunk for each write.
    public var chunk: ByteCount?
    /// The bytes a second that each client of a server reads or writes; `nil` for as many as it can.
    public var clientRate: ByteCount?

    package static let usualLoader = "best"

    /// The default conditions.
    public static let standard = FetchConditions()

    /// Creates the default conditions.
    public init() {}
}

extension FetchConditions: Codable {
    private enum CodingKeys: String, CodingKey {
        case concurrency, session, transfer, scheme, start, scenario, loader, display, destination, http
        case consumerDelayNanoseconds = "consumer_delay_ns"
        case containerLimit = "container_limit_bytes"
        case chunk = "chunk_bytes"
        case clientRate = "client_bytes_per_second"
    }

    /// Decodes conditions; missing ones have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ value: inout Value, _ key: CodingKeys) throws {
            value = try container.decodeIfPresent(Value.self, forKey: key) ?? value
        }
        self.init()
        try read(&concurrency, .concurrency)
        try read(&consumerDelayNanoseconds, .consumerDelayNanoseconds)
        try read(&session, .session)
        try read(&transfer, .transfer)
        try read(&scheme, .scheme)
        try read(&start, .start)
        try read(&scenario, .scenario)
        try read(&loader, .loader)
        try read(&display, .display)
        try read(&destination, .destination)
        try read(&http, .http)
        containerLimit = try container.decodeIfPresent(ByteCount.self, forKey: .containerLimit)
        chunk = try container.decodeIfPresent(ByteCount.self, forKey: .chunk)
        clientRate = try container.decodeIfPresent(ByteCount.self, forKey: .clientRate)
    }

    /// Encodes conditions; later additions are left out at their defaults, so that older builds can read the document.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(concurrency, forKey: .concurrency)
        try container.encode(consumerDelayNanoseconds, forKey: .consumerDelayNanoseconds)
        try container.encode(session, forKey: .session)
        try container.encode(transfer, forKey: .transfer)
        try container.encode(scheme, forKey: .scheme)
        if start != .warm { try container.encode(start, forKey: .start) }
        if scenario != .none { try container.encode(scenario, forKey: .scenario) }
        if loader != Self.usualLoader { try container.encode(loader, forKey: .loader) }
        if display != .verified { try container.encode(display, forKey: .display) }
        if destination != .same { try container.encode(destination, forKey: .destination) }
        if http != .http1 { try container.encode(http, forKey: .http) }
        try container.encodeIfPresent(containerLimit, forKey: .containerLimit)
        try container.encodeIfPresent(chunk, forKey: .chunk)
        try container.encodeIfPresent(clientRate, forKey: .clientRate)
    }

    /// The conditions that a program is told: all but the limit of its container, the chunks of its answers and the rate of
    /// clients.
    package var ofFetch: FetchConditions {
        var conditions = self
        (conditions.containerLimit, conditions.chunk, conditions.clientRate) = (nil, nil, nil)
        return conditions
    }

    /// The first version of the document between harness and trial that supports these conditions.
    package var documentVersion: Int {
        if destination != .same || http != .http1 { return 8 }
        if session.documentVersion > 2 { return session.documentVersion }
        if display != .verified { return 5 }
        if scenario != .none || loader != Self.usualLoader { return 4 }
        if start != .warm { return 3 }
        return ofFetch == .standard ? 1 : 2
    }
}

/// The framing of a body from the embedded origin.
public enum TransferEncoding: String, Codable, Hashable, Sendable, CaseIterable {
    /// With a `Content-Length`.
    case length
    /// In chunks, the last of which is empty.
    case chunked
    /// gzip in chunks; the mode decodes it.
    case gzip
}

/// The protocol of the embedded origin.
public enum OriginScheme: String, Codable, Hashable, Sendable, CaseIterable {
    /// Without TLS.
    case http
    /// TLS, with a certificate that the origin makes for the run.
    case https
}

/// The file system on which a mode's file has to end.
public enum FetchDestination: String, Codable, Hashable, Sendable, CaseIterable {
    /// That of the folder for temporary files, to which a file can be renamed.
    case same
    /// Another one, to which a file has to be copied.
    case other
}

/// The time at which a trial's pictures are decoded and drawn.
public enum PictureDisplay: String, Codable, Hashable, Sendable, CaseIterable {
    /// In its own phase, after the body was verified and the fetch has settled.
    case verified
    /// As soon as the fetch returns the body, as in an application: what the fetch still holds adds to the bitmap.
    case atOnce = "at-once"
}

/// The mark that the growth of a trial counts from.
public enum TrialStart: String, Codable, Hashable, Sendable, CaseIterable {
    /// After a warm-up, which has fetched 1 KiB in the same way.
    case warm
    /// Before anything of the client exists, so that growth includes what it loads and keeps.
    case cold
}

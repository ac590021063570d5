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
    /// What growth counts from.
    public var start = TrialStart.warm
    /// What an application does with many fetches, in the place of one.
    public var scenario = ScenarioChoice.none
    /// The policy under which a scenario loads pictures.
    public var loader = FetchConditions.usualLoader
    /// When pictures are shown.
    public var display = PictureDisplay.verified

    /// The policy of a plan that names none.
    package static let usualLoader = "best"

    /// What a plan has that says nothing.
    public static let standard = FetchConditions()

    /// Creates the usual conditions.
    public init() {}
}

extension FetchConditions: Codable {
    private enum CodingKeys: String, CodingKey {
        case concurrency, session, transfer, scheme, start, scenario, loader, display
        case consumerDelayNanoseconds = "consumer_delay_ns"
    }

    /// Decodes conditions; what is not there is as usual.
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
    }

    /// Encodes conditions; what came after the first ones is left out where it is usual, so that older builds can read it.
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
    }

    /// The first version of the document between harness and trial that knows these conditions.
    package var documentVersion: Int {
        if display != .verified { return 5 }
        if scenario != .none || loader != Self.usualLoader { return 4 }
        if start != .warm { return 3 }
        return self == .standard ? 1 : 2
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

/// When the pictures of a trial are decoded and drawn.
public enum PictureDisplay: String, Codable, Hashable, Sendable, CaseIterable {
    /// In a phase of its own, when the body is verified and nothing of the fetch goes on any more.
    case verified
    /// The moment the fetch hands the body over, as an application does in its completion handler: what the fetch has
    /// not let go of by then stands beside the bitmap.
    case atOnce = "at-once"
}

/// What the growth of a trial counts from.
public enum TrialStart: String, Codable, Hashable, Sendable, CaseIterable {
    /// The mark after a warm-up, which has fetched 1 KiB in the same way.
    case warm
    /// A mark before anything of the client is made: what it loads and keeps is in the growth.
    case cold
}

// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// The settings of a trial, as far as a mode needs them.
public struct FetchSettings: Hashable, Sendable {
    /// The verification of bodies, so that a mode that never holds a whole body can hash it as it arrives.
    public var verification: Verification

    /// The time-out without a byte, in whole seconds.
    ///
    /// It is longer than the trial's own time limit, which decides.
    public var idleTimeoutSeconds: Int

    /// The additional time that the consumer takes for each piece of the body, in nanoseconds.
    public var consumerDelayNanoseconds = 0

    /// The kind of URLSession configuration.
    public var session = SessionKind.bare

    /// The limit of a session's connections to one host; `nil` for the default.
    public var maximumConnectionsPerHost: Int?

    /// True if the body is requested in gzip, for the mode to decode.
    public var acceptsGzip = false

    /// The version of HTTP to speak; HTTP/2 only over TLS.
    public var http = HTTPProtocol.http1

    /// The PEM file with the authority of the embedded origin's certificate; `nil` for the system's authorities.
    public var certificateAuthorityPath: String?

    /// The view and the decoding limits of a mode that shows pictures itself.
    public var rendering = RenderSettings()

    /// The user's details for requests to the target, or a URL's credentials; `nil` for neither.
    ///
    /// Modes read ``carried(by:)``.
    public var target: TargetRequest?

    /// Creates the settings of a trial.
    public init(verification: Verification, idleTimeoutSeconds: Int) {
        (self.verification, self.idleTimeoutSeconds) = (verification, idleTimeoutSeconds)
    }
}

/// The way a body is compared with its asset.
public enum Verification: String, Codable, Hashable, Sendable, CaseIterable {
    /// Length and SHA-256.
    case sha256
    /// Length only.
    case length
}

/// A kind of URLSession session, by the place of its cookies and its cache.
public enum SessionKind: String, Hashable, Sendable, CaseIterable {
    /// An ephemeral configuration without a cache and without cookies.
    case bare
    /// Apple's ephemeral configuration: cache and cookies in memory.
    case ephemeral
    /// The default configuration: cache and cookies in the stores that sessions share.
    case `default`
    /// The session that the whole process shares, `URLSession.shared`.
    case shared

    /// True if tasks have a cache: URLSession can trap when one of them is cancelled.
    package var hasCache: Bool { self != .bare }

    /// The first version of the document between harness and trial with this kind.
    package var documentVersion: Int { self == .ephemeral || self == .shared ? 8 : 2 }
}

extension SessionKind: Codable {
    /// The word in documents.
    ///
    /// Stored runs and older programs call ``bare`` *ephemeral*; so that none of them is read as Apple's, that has
    /// another word.
    private var documentWord: String {
        switch self {
        case .bare: "ephemeral"
        case .ephemeral: "in-memory"
        case .default, .shared: rawValue
        }
    }

    /// Decodes the word of a document.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let word = try container.decode(String.self)
        guard let kind = Self.allCases.first(where: { $0.documentWord == word }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown kind of session")
        }
        self = kind
    }

    /// Encodes the word of a document.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(documentWord)
    }
}

/// The version of HTTP.
public enum HTTPProtocol: String, Codable, Hashable, Sendable, CaseIterable {
    /// HTTP/1.1, which the embedded origin then offers alone; with other servers, whatever client and server agree on.
    case http1 = "1.1"
    /// HTTP/2: the streams of a connection are requests at the same time.
    case http2 = "2"
    /// HTTP/1.1 alone, whatever the server offers.
    case http1Only = "1.1-only"
}

/// The view to render into, and the limits of decoding.
public struct RenderSettings: Codable, Hashable, Sendable {
    /// The view's width in pixels.
    public var viewWidth: Int
    /// The view's height in pixels.
    public var viewHeight: Int
    /// The largest number of pixels of an image.
    public var maximumPixels: Int
    /// The largest number of encoded bytes of an image.
    public var maximumEncodedBytes: Int
    /// The most memory of a decoder besides the picture, in bytes; `nil` for 256 MiB.
    ///
    /// The harness puts it into the trial's environment as `JPEGMEM`, where decoders find it.
    public var maximumDecoderBytes: Int?

    /// Creates settings; the defaults are a 390×844 pt view at 3x, 100 megapixels and 200 MB.
    public init(
        viewWidth: Int = 1170, viewHeight: Int = 2532,
        maximumPixels: Int = 100_000_000, maximumEncodedBytes: Int = 200_000_000
    ) {
        (self.viewWidth, self.viewHeight) = (viewWidth, viewHeight)
        (self.maximumPixels, self.maximumEncodedBytes) = (maximumPixels, maximumEncodedBytes)
    }
}

/// The additional time that a consumer takes for each piece of a body.
public struct ConsumerDelay: Sendable {
    private let nanoseconds: Int

    /// Reads the delay of a trial.
    public init(_ settings: FetchSettings) {
        nanoseconds = max(0, settings.consumerDelayNanoseconds)
    }

    /// Sleeps on this thread, if there is a delay.
    public func wait() {
        if nanoseconds > 0 { MonotonicClock.sleep(nanoseconds: nanoseconds) }
    }

    /// Sleeps without blocking a thread, for consumers that are tasks.
    public func pause() async throws {
        if nanoseconds > 0 { try await Task.sleep(for: .nanoseconds(nanoseconds)) }
    }
}

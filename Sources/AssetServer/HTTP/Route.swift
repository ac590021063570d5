// SPDX-License-Identifier: Apache-2.0

import MemProbe
import NIOHTTP1

/// What a request is for.
package enum Route: Hashable, Sendable {
    /// `/healthz`: is the origin there?
    case health
    /// `/stats`: what has it served?
    case statistics
    /// `/requests?path=/x`: who asked for what?
    case requests(path: String?)
    /// `/bytes/SIZE?seed=N`.
    case generated(GeneratedBytes)
    /// `/text/SIZE?seed=N`.
    case text(GeneratedText)
    /// `/sink`: takes a body of any size.
    case sink
    /// `/assets/hero.jpg` and `/assets/hero-progressive.jpg`.
    case hero(HeroImage.Variant)
    /// `/faults/…`: an answer that a client has to survive.
    case fault(Fault)

    /// Finds out what a request is for.
    package init(_ request: OriginRequest) throws(Refusal) {
        let segments = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        switch segments.first {
        case "healthz" where segments.count == 1: self = .health
        case "stats" where segments.count == 1: self = .statistics
        case "requests" where segments.count == 1: self = .requests(path: request.query["path"])
        case "bytes" where segments.count == 2:
            self = .generated(try Self.generated(segments[1], request.query["seed"]))
        case "text" where segments.count == 2:
            self = .text(try Self.generated(segments[1], request.query["seed"]))
        case "sink" where segments.count == 1: self = .sink
        case "assets" where segments == ["assets", "hero.jpg"]: self = .hero(.baseline)
        case "assets" where segments == ["assets", "hero-progressive.jpg"]: self = .hero(.progressive)
        case "faults" where segments.count > 1:
            self = .fault(try Fault(segments.dropFirst().joined(separator: "/"), query: request.query))
        default:
            throw Refusal(
                .notFound,
                "nothing is served at \(request.path); "
                    + "try /assets/hero.jpg, /bytes/64MiB, /text/64MiB, /sink, /stats, /requests, /healthz")
        }
        guard methods.contains(request.method) else {
            let allowed = methods.map(\.rawValue)
            throw Refusal(
                .methodNotAllowed,
                "\(request.method.rawValue) is not answered here; only \(allowed.joined(separator: " and ")) are",
                allowedMethods: allowed.joined(separator: ", "))
        }
    }

    /// The methods that are answered here.
    private var methods: [HTTPMethod] { self == .sink ? [.POST, .PUT] : [.GET, .HEAD] }

    /// The image that has to be there before the request can be answered.
    package var neededImage: HeroImage.Variant? {
        switch self {
        case .hero(let variant): variant
        case .fault(.truncatedImage): .baseline
        default: nil
        }
    }

    /// Whether whoever asks for this only watches the origin, and is not counted.
    package var isObservation: Bool {
        switch self {
        case .statistics, .requests: true
        default: false
        }
    }

    /// The body of this size and seed.
    private static func generated<Body: GeneratedBody>(_ size: String, _ seed: String?) throws(Refusal) -> Body {
        guard let count = ByteCount(parsing: size) else {
            throw Refusal(.badRequest, "'\(size)' is no size; try 64MiB")
        }
        guard let number = UInt64(seed ?? "0") else {
            throw Refusal(.badRequest, "'\(seed ?? "")' is no seed; a seed is a whole number from 0 to 2^64 - 1")
        }
        do {
            return try Body(byteCount: count.rawValue, seed: number)
        } catch {
            throw Refusal(.badRequest, error.what)
        }
    }
}

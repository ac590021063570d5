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
        case "assets" where segments == ["assets", "hero.jpg"]: self = .hero(.baseline)
        case "assets" where segments == ["assets", "hero-progressive.jpg"]: self = .hero(.progressive)
        case "faults" where segments.count > 1:
            self = .fault(try Fault(segments.dropFirst().joined(separator: "/"), query: request.query))
        default:
            throw Refusal(
                .notFound,
                "nothing is served at \(request.path); "
                    + "try /assets/hero.jpg, /bytes/64MiB, /stats, /requests, /healthz")
        }
        guard request.method == .GET || request.method == .HEAD else {
            throw Refusal(.methodNotAllowed, "\(request.method.rawValue) is not answered here; only GET and HEAD are")
        }
    }

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
    private static func generated(_ size: String, _ seed: String?) throws(Refusal) -> GeneratedBytes {
        guard let count = ByteCount(parsing: size) else {
            throw Refusal(.badRequest, "'\(size)' is no size; try 64MiB")
        }
        guard let number = UInt64(seed ?? "0") else {
            throw Refusal(.badRequest, "'\(seed ?? "")' is no seed; a seed is a whole number from 0 to 2^64 - 1")
        }
        do {
            return try GeneratedBytes(byteCount: count.rawValue, seed: number)
        } catch {
            throw Refusal(.badRequest, error.what)
        }
    }
}

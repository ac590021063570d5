// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import Runs

package enum Route: Hashable, Sendable {
    /// `/healthz`: readiness.
    case health
    /// `/stats`: the counts.
    case statistics
    /// `/requests?path=/x`: the log.
    case requests(path: String?)
    /// `/bytes/SIZE?seed=N` and the other computed bodies.
    case computed(ComputedBody)
    /// `/sink`: accepts a body of any size.
    case sink
    /// `/assets/hero.jpg`, `/gallery/01.jpg` …
    case image(LibraryImage)
    /// `/gallery/manifest.json`: the list of the gallery's pictures.
    case manifest
    /// `/faults/…`: an answer that is wrong on purpose.
    case fault(Fault)
    /// `/auth/…`, `/redirect/…`: a challenge or a redirect.
    case negotiation(Negotiation)

    package init(_ request: OriginRequest) throws(Refusal) {
        let segments = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        switch segments.first {
        case "healthz" where segments.count == 1: self = .health
        case "stats" where segments.count == 1: self = .statistics
        case "requests" where segments.count == 1: self = .requests(path: request.query["path"])
        case "sink" where segments.count == 1: self = .sink
        case "assets", "gallery": self = try Self.stored(request.path)
        case "faults" where segments.count > 1:
            self = .fault(try Fault(segments.dropFirst().joined(separator: "/"), query: request.query))
        case "auth", "redirect":
            guard let negotiation = try Negotiation(segments, query: request.query) else {
                throw Self.nothing(at: request.path)
            }
            self = .negotiation(negotiation)
        case let word:
            guard segments.count == 2, let kind = ComputedKind.allCases.first(where: { $0.segment == word }) else {
                throw Self.nothing(at: request.path)
            }
            self = .computed(try Self.computed(kind, segments[1], request.query["seed"]))
        }
        guard methods.contains(request.method) else {
            let allowed = methods.map(\.rawValue)
            throw Refusal(
                .methodNotAllowed,
                "\(request.method.rawValue) is not answered here; only \(allowed.joined(separator: " and ")) are",
                allowedMethods: allowed.joined(separator: ", "))
        }
    }

    private var methods: [HTTPMethod] {
        switch self {
        case .sink: [.POST, .PUT]
        case .negotiation(let negotiation): negotiation.methods
        default: [.GET, .HEAD]
        }
    }

    package var needed: Item? {
        switch self {
        case .image(let image): .image(image)
        case .manifest: .manifest
        case .fault(.truncatedImage): .image(.hero)
        default: nil
        }
    }

    /// True for requests that observe the origin, which are not counted.
    package var isObservation: Bool {
        switch self {
        case .statistics, .requests: true
        default: false
        }
    }

    private static func stored(_ path: String) throws(Refusal) -> Route {
        if path == GalleryManifest.path { return .manifest }
        guard let image = LibraryImage.all.first(where: { $0.path == path }) else { throw nothing(at: path) }
        return .image(image)
    }

    private static func nothing(at path: String) -> Refusal {
        let computed = ComputedKind.allCases.map { "/\($0.segment)/\($0.exampleSize)" }.joined(separator: ", ")
        return Refusal(
            .notFound,
            "nothing is served at \(path); try /assets/hero.jpg, \(GalleryManifest.path), \(computed), /sink, /stats, "
                + "/requests, /healthz")
    }

    private static func computed(
        _ kind: ComputedKind, _ size: String, _ seed: String?
    ) throws(Refusal) -> ComputedBody {
        guard let count = ByteCount(parsing: size) else {
            throw Refusal(.badRequest, "invalid size '\(size)': expected a size such as 64MiB")
        }
        guard let number = UInt64(seed ?? "0") else {
            throw Refusal(.badRequest, "'\(seed ?? "")': expected a whole number from 0 to 2^64 - 1")
        }
        guard count <= AssetName.largestSize else {
            throw Refusal(.badRequest, "a body of \(count.rawValue) bytes is not served; the largest is 1TiB")
        }
        return ComputedBody(kind, checked: count.rawValue, seed: number)
    }

    package enum Item: Hashable, Sendable {
        case image(LibraryImage)
        /// The manifest of the gallery, which needs all of its pictures.
        case manifest
    }
}

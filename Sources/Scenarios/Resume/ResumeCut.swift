// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TrialKit

/// Where a download is cut, and how its origin sends until then.
package struct ResumeCut: Hashable, Sendable {
    /// As soon as so many bytes are on disk.
    package let offset: Int
    /// So many the origin sends, and then nothing: more than the offset where the body is on its way while it is cut.
    package let sentByteCount: Int
    /// How fast it sends them, in bytes a second; `nil` for as fast as it sends everything.
    package let bytesPerSecond: Int?

    /// How much the origin sends beyond the place of the cut: as much as sockets hold of a process that was stopped.
    package static let mostUnderwayByteCount = 128 * 1024
    /// Slow enough that the body is still on its way when the cut is due.
    private static let usualBytesPerSecond = 16 << 20
    /// After so many seconds even the longest body is there.
    private static let longestSeconds = 8

    /// Cuts a body while it is on its way.
    package init(flowing byteCount: Int, at offset: Int) {
        self.offset = offset
        sentByteCount = min(offset + Self.mostUnderwayByteCount, byteCount - 1)
        bytesPerSecond = max(Self.usualBytesPerSecond, byteCount / Self.longestSeconds)
    }

    /// Cuts a body of which nothing more comes.
    package init(stalledAt offset: Int) {
        self.offset = offset
        sentByteCount = offset
        bytesPerSecond = nil
    }

    /// What the origin is told of it.
    fileprivate var query: [URLQueryItem] {
        [URLQueryItem(name: "stall", value: "\(sentByteCount)")]
            + (bytesPerSecond.map { [URLQueryItem(name: "rate", value: "\($0)")] } ?? [])
    }
}

extension ResumeScenario.Variant? {
    /// A place in a body, each as likely as every other.
    static func drawn(from seed: UInt64, in byteCount: Int) -> Int {
        var generator = TraceGenerator(seed: seed)
        return Int.random(in: 1..<byteCount, using: &generator)
    }
}

/// What the origin is asked for in the two halves of a download.
struct ResumeAddresses {
    /// Sends the body up to a little behind where it is cut, and then nothing.
    let first: URL
    /// Sends what is missing.
    let second: URL

    /// Makes the addresses of an asset on the embedded origin.
    init(
        _ target: URL, of variant: ResumeScenario.Variant?, byteCount: Int, _ cut: ResumeCut
    ) throws(FetchFailure) {
        // Another version of the body is another body; what is on disk of it is said to be of the asset.
        first =
            variant == .changed
            ? try Self.url(target, path: "/bytes/\(byteCount)", [URLQueryItem(name: "seed", value: "4711")] + cut.query)
            : try Self.url(target, cut.query)
        second = variant == .noRanges ? try Self.url(target, [URLQueryItem(name: "ranges", value: "none")]) : target
    }

    private static func url(
        _ target: URL, path: String? = nil, _ items: [URLQueryItem]
    ) throws(FetchFailure) -> URL {
        var components = URLComponents(url: target, resolvingAgainstBaseURL: true)
        let kept = components?.queryItems?.filter { item in !items.contains { $0.name == item.name } } ?? []
        components?.queryItems = kept + items
        if let path { components?.path = path }
        guard let url = components?.url else { throw FetchFailure(.other, "the origin's stall has no address") }
        return url
    }
}

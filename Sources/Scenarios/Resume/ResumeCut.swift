// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Statistics
import TrialKit

extension ResumeScenario.Variant? {
    /// A place in a body, each as likely as every other.
    static func drawn(from seed: UInt64, in byteCount: Int) -> Int {
        var generator = SeededGenerator(seed: seed)
        return Int.random(in: 1..<byteCount, using: &generator)
    }
}

/// What the origin is asked for in the two halves of a download.
struct ResumeAddresses {
    /// Sends the body up to where it is cut, and then nothing.
    let first: URL
    /// Sends what is missing.
    let second: URL

    /// Makes the addresses of an asset on the embedded origin.
    init(
        _ target: URL, of variant: ResumeScenario.Variant?, byteCount: Int, cutAt offset: Int
    ) throws(FetchFailure) {
        let stall = URLQueryItem(name: "stall", value: "\(offset)")
        // Another version of the body is another body; what is on disk of it is said to be of the asset.
        first =
            variant == .changed
            ? try Self.url(target, path: "/bytes/\(byteCount)", [URLQueryItem(name: "seed", value: "4711"), stall])
            : try Self.url(target, [stall])
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

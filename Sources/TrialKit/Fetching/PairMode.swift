// SPDX-License-Identifier: Apache-2.0

/// Two modes of different client libraries in one process, for the costs of a second client beside the first.
///
/// The first fetches, then the second; both clients are held until the end.
package struct PairMode: FetchMode {
    package let name: String
    package let summary: String
    package let caveat: String? = "fetches every body twice, one client after the other: for costs, not for peaks"
    package let schemes: Set<String>
    package let abilities: Set<ModeAbility> = []
    private let first: any FetchMode
    private let second: any FetchMode

    /// Creates the pair of two modes by their names; `nil` if one of them is not in its list.
    package init?(_ first: String, of modes: [any FetchMode], and second: String, of others: [any FetchMode]) {
        guard let one = modes.first(where: { $0.name == first }), let other = others.first(where: { $0.name == second })
        else { return nil }
        (self.first, self.second) = (one, other)
        name = "\(first)-and-\(second)"
        summary = "two client libraries in one process: \(first), then \(second)"
        schemes = one.schemes.intersection(other.schemes)
    }

    package func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher {
        Pair(try first.makeFetcher(settings), try second.makeFetcher(settings))
    }

    private final class Pair: Fetcher {
        private let first: any Fetcher
        private let second: any Fetcher

        init(_ first: any Fetcher, _ second: any Fetcher) {
            self.first = first
            self.second = second
        }

        func prepare(for request: FetchRequest) async throws(FetchFailure) {
            try await first.prepare(for: request)
            try await second.prepare(for: request)
        }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            let body = try await first.fetch(request)
            let other = try await second.fetch(request)
            guard body.byteCount == other.byteCount else {
                throw FetchFailure(.wrongBody, "\(body.byteCount) bytes, then \(other.byteCount)")
            }
            return other
        }

        func invalidate() async {
            await first.invalidate()
            await second.invalidate()
        }
    }
}

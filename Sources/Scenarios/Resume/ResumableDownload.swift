// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
package import TrialKit

/// A download that continues after any interruption: a failure, a cancellation, SIGKILL.
///
/// Its state is only on disk: the partial file, and beside it a small document that identifies the version of the body.
/// The destination exists only when the body is complete.
package struct ResumableDownload: Hashable, Sendable {
    private let url: URL
    /// The identity of the body that the partial file belongs to.
    private let key: String
    private let destination: String

    package struct Outcome: Sendable {
        package var body: FetchedBody
        package var resumedAt: Int
        package var receivedByteCount: Int
        package var requests: Int
    }

    /// Creates a download to a path; `identity` is the URL that the partial file belongs to, by default `url`.
    package init(_ url: URL, identity: URL? = nil, to destination: String) {
        self.url = url
        key = PartialState.key(of: (identity ?? url).absoluteString)
        self.destination = destination
    }

    package var partial: String { destination + ".partial" }

    package var partialByteCount: Int { BodyFile.byteCount(of: partial) ?? 0 }

    package var request: FetchRequest {
        var request = FetchRequest(url: url, destination: partial)
        request.resumption = resumption
        return request
    }

    package func fetch(with fetcher: any Fetcher) async throws(FetchFailure) -> Outcome {
        let request = request
        let there = request.resumption?.offset ?? 0
        if there > 0, there == PartialState.read(besides: partial)?.totalByteCount {
            return try finished(FetchedBody(content: .file(path: partial), byteCount: there), received: 0, requests: 0)
        }
        do throws(FetchFailure) {
            return try finished(try await fetcher.fetch(request), requests: 1)
        } catch  where error.code == .rangeRefused {
            forget()
            return try finished(try await fetcher.fetch(self.request), requests: 2)
        }
    }

    /// Removes the partial file and its document.
    package func forget() {
        PartialState.remove(besides: partial)
        unlink(partial)
    }

    /// Turns a complete body into a partial one, which a warm-up resumes.
    func cutInHalf(_ outcome: Outcome) throws(FetchFailure) {
        guard let validator = outcome.body.entity?.validator, outcome.body.byteCount > 1 else { return }
        _ = try BodyFile.move(destination, to: partial)
        _ = try BodyFile(resuming: partial, at: outcome.body.byteCount / 2)
        try PartialState(key: key, validator: validator, totalByteCount: outcome.body.byteCount)
            .write(besides: partial)
    }

    /// The resumption of the partial file, from the first byte if the document is damaged or of another body.
    private var resumption: Resumption {
        guard let state = PartialState.read(besides: partial), state.key == key,
            let size = BodyFile.byteCount(of: partial),
            size <= state.totalByteCount ?? .max
        else { return Resumption(offset: 0, validator: nil, key: key) }
        return Resumption(offset: size, validator: state.validator, key: key)
    }

    private func finished(
        _ body: FetchedBody, received: Int? = nil, requests: Int
    ) throws(FetchFailure) -> Outcome {
        let offset = body.entity?.offset ?? 0
        if let total = body.entity?.totalByteCount, total != body.byteCount {
            throw FetchFailure(.truncatedBody, "\(body.byteCount) bytes are there of \(total)")
        }
        _ = try BodyFile.move(partial, to: destination)
        // After the partial file, because a document alone is harmless.
        PartialState.remove(besides: partial)
        var body = body
        body.content = .file(path: destination)
        let arrived = received ?? body.byteCount - offset
        return Outcome(
            body: body, resumedAt: body.byteCount - arrived, receivedByteCount: arrived, requests: requests)
    }
}

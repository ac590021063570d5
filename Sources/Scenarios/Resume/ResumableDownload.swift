// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
package import TrialKit

/// A download that goes on where an earlier one has ended, whatever ended that: a failure, a cancellation, SIGKILL.
///
/// What it knows is on disk and nowhere else: the part that has arrived, and beside it a small document that names the
/// version of the body. The destination is there only when the body is whole.
package struct ResumableDownload: Hashable, Sendable {
    /// What is fetched.
    private let url: URL
    /// What the part on disk has to be of.
    private let key: String
    private let destination: String

    /// What a download came to.
    package struct Outcome: Sendable {
        /// The whole body, in its place.
        package var body: FetchedBody
        /// How many bytes of it were there already.
        package var resumedAt: Int
        /// How many bytes the origin has sent for it.
        package var receivedByteCount: Int
        /// How many requests it took: 0 where everything was there already.
        package var requests: Int
    }

    /// Describes a download.
    /// - Parameters:
    ///   - identity: The URL that the part on disk belongs to, where it is another one than is fetched.
    ///   - destination: The path of the finished file.
    package init(_ url: URL, identity: URL? = nil, to destination: String) {
        self.url = url
        key = PartialState.key(of: (identity ?? url).absoluteString)
        self.destination = destination
    }

    /// Where the part is.
    package var partial: String { destination + ".partial" }

    /// How many bytes of the part are there.
    package var partialByteCount: Int { BodyFile.byteCount(of: partial) ?? 0 }

    /// The request that fetches what is missing.
    package var request: FetchRequest {
        var request = FetchRequest(url: url, destination: partial)
        request.resumption = resumption
        return request
    }

    /// Fetches what is missing, with a mode that has ``ModeAbility/resuming``.
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

    /// Removes the part and what is known of it.
    package func forget() {
        PartialState.remove(besides: partial)
        unlink(partial)
    }

    /// Takes a body that is whole for the first part of one: what a warm-up goes on with.
    func cutInHalf(_ outcome: Outcome) throws(FetchFailure) {
        guard let validator = outcome.body.entity?.validator, outcome.body.byteCount > 1 else { return }
        _ = try BodyFile.move(destination, to: partial)
        _ = try BodyFile(resuming: partial, at: outcome.body.byteCount / 2)
        try PartialState(key: key, validator: validator, totalByteCount: outcome.body.byteCount)
            .write(besides: partial)
    }

    /// How to go on with what is on disk; from its first byte, where the document is torn or of something else.
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
        // Behind the part: a document without one is of no body.
        PartialState.remove(besides: partial)
        var body = body
        body.content = .file(path: destination)
        let arrived = received ?? body.byteCount - offset
        return Outcome(
            body: body, resumedAt: body.byteCount - arrived, receivedByteCount: arrived, requests: requests)
    }
}

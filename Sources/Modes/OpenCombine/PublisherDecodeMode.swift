// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCombine
import OpenCombineFoundation
import TrialKit
import URLSessionModes

struct PublisherDecodeMode: DataPublisherMode {
    let name = "publisher-decode"
    let summary = "OpenCombine dataTaskPublisher, decode with JSONDecoder: Codable records and the body"
    let caveat: String? =
        "the body is kept for verification; decoding costs this mode's figure minus that of publisher-data"
    let need: AssetNeed? = .json

    func answer(
        to request: FetchRequest, by body: @escaping MakePublisher
    ) async throws(FetchFailure) -> FetchedBody {
        try await body(request).flatMap { body in Self.decoded(body) }.oneBody(of: request)
    }

    /// Decodes the records of a body; a HEAD request has none.
    private static func decoded(_ body: FetchedBody) -> AnyPublisher<FetchedBody, FetchFailure> {
        guard case .memory(let bytes) = body.content, let data = bytes as? Data, !data.isEmpty else {
            return Just(body).setFailureType(to: FetchFailure.self).eraseToAnyPublisher()
        }
        return Just(data).decode(type: [CatalogueRecord].self, decoder: JSONDecoder()).map { records in
            FetchedBody(content: .memory(DecodedDocument(data: data, records: records)), byteCount: data.count)
        }.mapFailures().eraseToAnyPublisher()
    }
}

/// The decoded records, and the body for verification.
struct DecodedDocument: ContiguousBytes, Sendable {
    let data: Data
    let records: [CatalogueRecord]

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try data.withUnsafeBytes(body)
    }
}

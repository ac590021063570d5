// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization
import TrialKit

/// Sends assets to the sink of their origin.
final class UploadFetcher: Fetcher {
    private let session: URLSession
    private let settings: FetchSettings
    private let kind: UploadSource.Kind
    /// The prepared bodies; held until the end, so that the fetch does not appear to free memory.
    private let sources = Mutex<[FetchRequest: UploadSource]>([:])

    init(_ settings: FetchSettings, from kind: UploadSource.Kind) {
        session = settings.session == .shared ? .shared : URLSession(configuration: .forTrial(settings))
        self.settings = settings
        self.kind = kind
    }

    func prepare(for request: FetchRequest) async throws(FetchFailure) {
        guard request.method == .get else { return }
        let source = try await UploadSource.make(kind, for: request, settings)
        sources.withLock { $0[request] = source }
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        guard request.method == .get else { return .nothing }
        guard let source = sources.withLock({ $0[request] }) else {
            throw FetchFailure(.other, "nothing was made ready to be sent")
        }
        let upload = try Self.upload(to: request.url)
        let result = await CancellableTask.result(of: request) { answer in
            task(with: upload, source) { data, response, error in
                answer(Self.result(data, response, error, of: source))
            }
        }
        return try result.get()
    }

    func invalidate() async {
        if settings.session != .shared { session.finishTasksAndInvalidate() }
        let sources = sources.withLock { sources in
            defer { sources = [:] }
            return sources
        }
        for source in sources.values { source.remove() }
    }

    private func task(
        with request: URLRequest, _ source: UploadSource,
        _ handler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        switch source.content {
        case .data(let data): session.uploadTask(with: request, from: data, completionHandler: handler)
        case .file(let url): session.uploadTask(with: request, fromFile: url, completionHandler: handler)
        }
    }

    /// Returns the request to the sink of an asset's origin.
    private static func upload(to asset: URL) throws(FetchFailure) -> URLRequest {
        var components = URLComponents(url: asset, resolvingAgainstBaseURL: true)
        components?.path = "/sink"
        components?.query = nil
        components?.fragment = nil
        guard let url = components?.url else { throw FetchFailure(.other, "the origin's sink has no address") }
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = "POST"
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        return request
    }

    private static func result(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?, of source: UploadSource
    ) -> Result<FetchedBody, FetchFailure> {
        if let error { return .failure(FetchFailure(error)) }
        return Result { () throws(FetchFailure) in
            let receipt = try UploadReceipt.read(data, response)
            guard receipt.bytes == source.byteCount else {
                throw FetchFailure(
                    .truncatedBody, "\(receipt.bytes) bytes reached the origin of \(source.byteCount) sent")
            }
            return FetchedBody(content: .nothing, byteCount: receipt.bytes, sha256: receipt.sha256)
        }
    }
}

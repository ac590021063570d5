// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import RawModes
import Synchronization
import TrialKit

struct UploadMode: FetchMode {
    let name = "upload"
    let summary = "URLSession upload task from Data: the asset is sent to the origin's sink"
    let caveat: String? = """
        the Data to send exists before the baseline and is not in the figures, which show the session's own \
        copy; over https the source is fetched by a separate session, whose freed memory may serve the upload; \
        length and hash are those that the origin counted
        """
    let yieldsBody = false
    let abilities: Set<ModeAbility> = [
        .concurrency, .sessionConfiguration, .connectionLimit, .cancellation, .http2,
    ]
    let need: AssetNeed? = .sink

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        UploadFetcher(settings, from: .memory)
    }
}

struct UploadFileMode: FetchMode {
    let name = "upload-file"
    let summary = "URLSession upload task from a file: the asset is sent to the origin's sink"
    let caveat: String? = """
        the file to be sent is there before the baseline, and so in the page cache; over https the \
        source is fetched by a separate session, whose freed memory may serve the upload; length and hash are those that \
        the origin counted
        """
    let yieldsBody = false
    let abilities: Set<ModeAbility> = [
        .concurrency, .sessionConfiguration, .connectionLimit, .cancellation, .http2,
    ]
    let need: AssetNeed? = .sink

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        UploadFetcher(settings, from: .file)
    }
}

final class UploadFetcher: Fetcher {
    private let session: URLSession
    private let settings: FetchSettings
    private let kind: UploadSource.Kind
    /// The prepared bodies; held until the end, so that the fetch does not appear to free memory.
    private let sources = Mutex<[FetchRequest: UploadSource]>([:])

    init(_ settings: FetchSettings, from kind: UploadSource.Kind) {
        session = settings.session == .shared ? .shared : URLSession(configuration: .forTrial(settings))
        (self.settings, self.kind) = (settings, kind)
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

    struct UploadReceipt: Decodable {
        let bytes: Int
        let sha256: String

        static func read(_ data: Data?, _ response: URLResponse?) throws(FetchFailure) -> UploadReceipt {
            guard let response = response as? HTTPURLResponse else {
                throw FetchFailure(.malformedResponse, "no HTTP response arrived")
            }
            try StatusCheck.check(response.statusCode)
            do {
                return try JSONDecoder().decode(UploadReceipt.self, from: data ?? Data())
            } catch {
                throw FetchFailure(.malformedResponse, "the sink did not report the uploaded bytes")
            }
        }
    }

    struct UploadSource: Sendable {
        enum Kind: Sendable {
            case memory
            case file
        }

        enum Content: Sendable {
            case data(Data)
            case file(URL)
        }

        let content: Content
        let byteCount: Int

        /// Fetches the asset to a file beside the request's destination, and reads it into memory for that kind.
        static func make(
            _ kind: Kind, for request: FetchRequest, _ settings: FetchSettings
        ) async throws(FetchFailure) -> UploadSource {
            let path = request.destination + ".source"
            let byteCount = try await fetch(request.url, to: path, settings)
            let url = URL(fileURLWithPath: path)
            guard kind == .memory else { return UploadSource(content: .file(url), byteCount: byteCount) }
            defer { try? FileManager.default.removeItem(at: url) }
            guard let data = try? Data(contentsOf: url), data.count == byteCount else {
                throw FetchFailure(.file, "the upload source cannot be read")
            }
            return UploadSource(content: .data(data), byteCount: byteCount)
        }

        func remove() {
            if case .file(let url) = content { try? FileManager.default.removeItem(at: url) }
        }

        /// Fetches with one small buffer, or over TLS with a session that is released afterwards.
        private static func fetch(
            _ url: URL, to path: String, _ settings: FetchSettings
        ) async throws(FetchFailure) -> Int {
            let settings = FetchSettings(verification: .length, idleTimeoutSeconds: settings.idleTimeoutSeconds)
            let fetcher: any Fetcher =
                if url.scheme?.lowercased() == "http" {
                    RawFetcher(mode: "upload", keepsBody: true, settings)
                } else {
                    DownloadMode().makeFetcher(settings)
                }
            let result: Result<FetchedBody, FetchFailure>
            do throws(FetchFailure) {
                result = .success(try await fetcher.fetch(FetchRequest(url: url, destination: path)))
            } catch {
                result = .failure(error)
            }
            await fetcher.invalidate()
            return try result.get().byteCount
        }
    }
}

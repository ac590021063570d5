// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Glibc
import OpenCombine
import OpenCombineDownload
import OpenCombineFoundation
package import TrialKit
import URLSessionModes

/// The modes on OpenCombine's publishers of URLSession's tasks; a new mode is a type and a line here.
package enum OpenCombineCatalog {
    /// Returns the modes in the order of `fetchbench list`; `model` decodes pictures in them, which link no decoder.
    package static func all(decodingWith model: any RenderModel) -> [any FetchMode] {
        [
            PublisherDataMode(),
            PublisherDownloadMode(),
            PublisherShareMode(),
            PublisherConnectableMode(),
            PublisherRetryCatchMode(),
            PublisherDecodeMode(),
            PublisherPictureMode(model: model),
        ]
    }
}

struct PublisherDataMode: FetchMode {
    let name = "publisher-data"
    let summary = "OpenCombine dataTaskPublisher, tryMap on the status, sink: the whole body as Data"
    let caveat: String? = """
        a data task underneath: the body is held twice while it is handed over; cancelled through its AnyCancellable, \
        which can trap in a session with a cache
        """
    let abilities = Set<ModeAbility>.ofCancellableSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            try await CancellableSubscription<Result<FetchedBody, FetchFailure>>.value(of: request) { answer in
                session.bodyPublisher(of: request, settings).sink(
                    receiveCompletion: { completion in
                        guard case .failure(let error) = completion else { return }
                        answer(.failure(FetchFailure(error)))
                    },
                    receiveValue: { answer(.success($0)) })
            }.get()
        }
    }
}

struct PublisherDownloadMode: FetchMode {
    let name = "publisher-download"
    let summary = "download-task publisher written for OpenCombine, own subscriber: to a file, moved to its place"
    let caveat: String? = """
        the temporary file of a failed task is removed only by the harness; cancelled through its \
        AnyCancellable, which does not report when the task has ended
        """
    let abilities = Set<ModeAbility>.ofCancellableSession.subtracting([.revalidation]).union([.file])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            try await session.filePublisher(of: request, settings).mapFailures().oneBody(of: request)
        }
    }
}

protocol DataPublisherMode: FetchMode {
    typealias MakePublisher = @Sendable (FetchRequest) -> AnyPublisher<FetchedBody, FetchFailure>

    /// Subscribes to the mode's chain on a body's publisher, and returns what the subscribers received.
    func answer(to request: FetchRequest, by body: @escaping MakePublisher) async throws(FetchFailure) -> FetchedBody
}

extension DataPublisherMode {
    var schemes: Set<String> { ["http", "https"] }
    var yieldsBody: Bool { true }
    var abilities: Set<ModeAbility> { .ofCancellableSession }

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            try await answer(to: request) { request in
                session.bodyPublisher(of: request, settings).mapFailures().eraseToAnyPublisher()
            }
        }
    }
}

struct PublisherShareMode: DataPublisherMode {
    let name = "publisher-share"
    let summary = "OpenCombine dataTaskPublisher, share(), \(Audience.count) subscribers: one request, one Data"
    let caveat: String? =
        "share() starts with the first subscriber, and subscribers after the value get none: "
        + "the start is held back until all are there"

    func answer(
        to request: FetchRequest, by body: @escaping MakePublisher
    ) async throws(FetchFailure) -> FetchedBody {
        let gate = OperationQueue()
        gate.maxConcurrentOperationCount = 1
        gate.isSuspended = true
        let shared = body(request).subscribe(on: gate).share()
        return try await Audience.body(of: shared, for: request) {
            gate.isSuspended = false
            return nil
        }
    }
}

struct PublisherConnectableMode: DataPublisherMode {
    let name = "publisher-connectable"
    let summary =
        "OpenCombine dataTaskPublisher, makeConnectable(), \(Audience.count) subscribers, connect(): one request"
    let caveat: String? =
        "only a publisher that cannot fail is connectable, so a failure travels as a value; "
        + "autoconnect() would begin with the first subscriber, as share() does"

    func answer(
        to request: FetchRequest, by body: @escaping MakePublisher
    ) async throws(FetchFailure) -> FetchedBody {
        let connectable = body(request)
            .map { Result<FetchedBody, FetchFailure>.success($0) }
            .catch { Just(.failure($0)) }
            .makeConnectable()
        return try await Audience.body(of: connectable.tryMap { try $0.get() }.mapFailures(), for: request) {
            connectable.connect()
        }
    }
}

struct PublisherRetryCatchMode: FetchMode {
    let name = "publisher-retry-catch"
    let summary =
        "OpenCombine dataTaskPublisher of a URL whose connection is reset, retry(1), catch with a second session"
    let caveat: String? = "three requests: two for the origin's fault, one for the asset; so does the warm-up"
    let abilities: Set<ModeAbility> = .ofCancellableSession
    let need: AssetNeed? = .faults

    /// The first URL's path on the origin, which resets the connection in the body.
    static let faultPath = "/faults/reset"

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        RetryCatchFetcher(settings)
    }

    private final class RetryCatchFetcher: Fetcher {
        private let session: URLSession
        private let fallbackSession: URLSession
        private let settings: FetchSettings

        init(_ settings: FetchSettings) {
            session = .forTrial(settings)
            // Another one, whatever the first is: there is only one shared session.
            fallbackSession = settings.session == .shared ? URLSession(configuration: .default) : .forTrial(settings)
            self.settings = settings
        }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            try SchemeCheck.check(request.url)
            guard let first = URL(string: PublisherRetryCatchMode.faultPath, relativeTo: request.url)?.absoluteURL
            else {
                throw FetchFailure(.other, "the URL has no origin that a fault could be asked of")
            }
            var failing = request
            failing.url = first
            return try await session.bodyPublisher(of: failing, settings)
                .retry(1)
                .catch { [fallbackSession, settings] _ in fallbackSession.bodyPublisher(of: request, settings) }
                .mapFailures()
                .oneBody(of: request)
        }

        func invalidate() async {
            for session in [session, fallbackSession] where session !== URLSession.shared {
                session.finishTasksAndInvalidate()
            }
        }
    }
}

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
            var body = FetchedBody(
                content: .memory(DecodedDocument(data: data, records: records)), byteCount: data.count)
            body.isDecoded = true
            return body
        }.mapFailures().eraseToAnyPublisher()
    }

    struct DecodedDocument: ContiguousBytes, Sendable {
        let data: Data
        let records: [CatalogueRecord]

        func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try data.withUnsafeBytes(body)
        }
    }
}

extension URLSession {
    func bodyPublisher(of request: FetchRequest, _ settings: FetchSettings) -> some Publisher<FetchedBody, any Error> {
        dataTaskPublisher(for: URLRequest(request, settings)).tryMap { data, response in
            try ResponseBody.inMemory(data, response, for: request)
        }
    }

    func filePublisher(of request: FetchRequest, _ settings: FetchSettings) -> some Publisher<FetchedBody, any Error> {
        downloadTaskPublisher(for: URLRequest(request, settings), to: URL(fileURLWithPath: request.destination))
            .tryMap { download in
                guard request.method == .get else {
                    // The empty file of a HEAD request.
                    unlink(download.file.path)
                    try ResponseCheck.check(download.response, for: request, receivedByteCount: 0)
                    return .nothing
                }
                try ResponseCheck.check(download.response, for: request, receivedByteCount: download.byteCount)
                return FetchedBody(content: .file(path: request.destination), byteCount: download.byteCount)
            }
    }
}

extension FetchFailure {
    init(ofPublisher error: any Error) {
        switch error {
        case let failure as FetchFailure: self = failure
        case let error as DecodingError: self.init(.other, "the body cannot be decoded: \(error.words)")
        default: self.init(error)
        }
    }
}

extension Publisher {
    func mapFailures() -> Publishers.MapError<Self, FetchFailure> {
        mapError { FetchFailure(ofPublisher: $0) }
    }
}

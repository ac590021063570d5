// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
package import FoundationNetworking
package import TrialKit

struct DataMode: FetchMode {
    let name = "data"
    let summary = "URLSession data task, completion handler: the whole body as Data"
    let caveat: String? = "on Linux the body is held twice while it is handed over"
    let abilities: Set<ModeAbility> = .ofCancellableSession

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in try await session.collected(request, settings).get() }
    }
}

extension URLSession {
    /// Fetches a body into memory by a data task with a completion handler.
    func collected(_ request: FetchRequest, _ settings: FetchSettings) async -> Result<FetchedBody, FetchFailure> {
        await CancellableTask.result(of: request) { answer in
            dataTask(with: URLRequest(request, settings)) { data, response, error in
                answer(ResponseBody.inMemory(data, response, error, for: request))
            }
        }
    }
}

struct DataAsyncMode: FetchMode {
    let name = "data-async"
    let summary = "URLSession data(for:), async: the whole body as Data"
    let caveat: String? = "a data task underneath: the body is held twice; cancelling it at its end can trap"
    let abilities: Set<ModeAbility> = .ofSession
    let onCancel = Cancellation.Conduct.hangs

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            let (data, response) = try await session.data(for: URLRequest(request, settings))
            return try ResponseBody.inMemory(data, response, for: request)
        }
    }
}

struct DataDelegateMode: FetchMode {
    let name = "data-delegate"
    let summary = "URLSession delegate that appends every chunk to one Data: the whole body in memory"
    let caveat: String? = "no back-pressure; the Data grows by reallocation, held once on glibc and twice on jemalloc"
    let abilities: Set<ModeAbility> = .ofSessionInPieces

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        ChunkFetcher(settings) { _ in CollectedBody() }
    }

    private struct CollectedBody: ChunkConsumer {
        private var data = Data()

        mutating func take(_ chunk: Data) { data.append(chunk) }

        func finished() -> FetchedBody {
            FetchedBody(content: .memory(data), byteCount: data.count)
        }
    }
}

struct SyncDataMode: FetchMode {
    let name = "sync-data"
    let summary = "Data(contentsOf:), blocking: the whole body as Data"
    let caveat: String? = BlockingFetcher.caveat
    let abilities: Set<ModeAbility> = [.concurrency, .gzip, .http2]

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        BlockingFetcher(load: BlockingFetcher.data)
    }
}

extension BlockingFetcher {
    static let data: Load = { url in
        let data = try Data(contentsOf: url)
        return FetchedBody(content: .memory(data), byteCount: data.count)
    }
}

struct SyncStringMode: FetchMode {
    let name = "sync-string"
    let summary = "String(contentsOf:encoding:), blocking: the whole body as String"
    let caveat: String? = BlockingFetcher.caveat + "; text in UTF-8 only"
    let abilities: Set<ModeAbility> = [.concurrency, .gzip, .http2]
    let need: AssetNeed? = .text

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        BlockingFetcher { url in
            do {
                let body = TextBody(try String(contentsOf: url, encoding: .utf8))
                return FetchedBody(content: .memory(body), byteCount: body.byteCount)
            } catch let error as CocoaError where error.code == .fileReadCorruptFile {
                throw FetchFailure(.other, "the body is not valid UTF-8")
            }
        }
    }

    /// The UTF-8 storage of a string, without a copy.
    struct TextBody: ContiguousBytes, Sendable {
        private let text: String

        /// Makes the string contiguous, which on Linux it always is.
        init(_ text: consuming String) {
            text.makeContiguousUTF8()
            self.text = text
        }

        var byteCount: Int { text.utf8.count }

        func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            // Shares the bytes: a contiguous string is not copied here.
            var text = text
            return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
        }
    }
}

struct GCDDataMode: FetchMode {
    let name = "gcd-data"
    let summary = "Data(contentsOf:) on DispatchQueue.global(), handed to a serial queue: the whole body as Data"
    let caveat: String? =
        "a serial queue stands for the main one; each fetch blocks a thread of the pool that URLSession's queues need, so "
        + "concurrent fetches wait for libdispatch to add threads, about one per second; " + BlockingFetcher.caveat
    let abilities: Set<ModeAbility> = [.concurrency, .gzip, .http2]

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        let main = DispatchQueue(label: "the list's queue")
        return BlockingFetcher(
            running: { call, deliver in
                DispatchQueue.global().async {
                    let result = call()
                    main.async { deliver(result) }
                }
            }, load: BlockingFetcher.data)
    }
}

/// Fetches with a blocking initialiser of Foundation, by default on its own thread, because Swift's task threads must
/// not block.
final class BlockingFetcher: Fetcher {
    typealias Load = @Sendable (URL) throws -> FetchedBody

    /// Makes a blocking call on another thread, and passes on its result.
    typealias Run =
        @Sendable (
            _ call: @escaping @Sendable () -> Result<FetchedBody, FetchFailure>,
            _ deliver: @escaping @Sendable (Result<FetchedBody, FetchFailure>) -> Void
        ) -> Void

    static let caveat =
        "time-out fixed at 60 s; requests gzip; a 401 is treated as a body, and no other status is reported; "
        + "refuses URLs with a user or a password"

    private let run: Run
    private let load: Load

    init(
        running run: @escaping Run = { call, deliver in Thread.detachNewThread { deliver(call()) } },
        load: @escaping Load
    ) { (self.run, self.load) = (run, load) }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        // Redirects cannot be intercepted here, and the URL's credentials would follow them to any host.
        guard !request.url.holdsCredentials else {
            throw FetchFailure(
                .other,
                "the URL holds a user or a password, which this initialiser would send to wherever a redirect leads; "
                    + "use a mode with a session, such as data")
        }
        // These initialisers support GET only.
        guard request.method == .get else { return .nothing }
        let result = await withCheckedContinuation { continuation in
            run({ [load] in Self.result { try load(request.url) } }, { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    func invalidate() async {}

    private static func result(of load: () throws -> FetchedBody) -> Result<FetchedBody, FetchFailure> {
        do {
            return .success(try load())
        } catch {
            return .failure(failure(of: error))
        }
    }

    /// Returns the underlying error of URLSession, or else that of a refused status.
    private static func failure(of error: any Error) -> FetchFailure {
        if let beneath = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error {
            return FetchFailure(beneath)
        }
        guard let error = error as? CocoaError, error.code == .fileReadUnknown else { return FetchFailure(error) }
        return FetchFailure(.httpStatus, "a status that Foundation refuses and does not tell")
    }
}

/// Fetches with an async function of a session, the library's or our own.
package final class AsyncFetcher: Fetcher, SessionOwner {
    package typealias Load = @Sendable (URLSession, FetchRequest) async throws -> FetchedBody

    package let session: URLSession
    package let ownsSession: Bool
    private let load: Load

    package init(_ settings: FetchSettings, load: @escaping Load) {
        session = .forTrial(settings)
        ownsSession = settings.session != .shared
        self.load = load
    }

    package func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        do {
            return try await load(session, request)
        } catch {
            throw FetchFailure(error)
        }
    }
}

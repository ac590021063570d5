// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Glibc
import OpenCombine
import TrialKit
import URLSessionModes

/// A publisher of download tasks, which OpenCombine leaves to its users to write: the body in a file.
struct PublisherDownloadMode: FetchMode {
    let name = "publisher-download"
    let summary = "download-task publisher written for OpenCombine, own subscriber: to a file, moved to its place"
    let caveat: String? = "the temporary file of a task that fails is removed by nobody but the harness"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true
    let abilities = Set<ModeAbility>.ofSession.subtracting([.revalidation])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        PublisherDownloadFetcher(settings)
    }
}

private final class PublisherDownloadFetcher: Fetcher {
    private let session: URLSession
    private let settings: FetchSettings

    init(_ settings: FetchSettings) {
        session = URLSession(configuration: .forTrial(settings))
        self.settings = settings
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        let result = await withCheckedContinuation { continuation in
            // The subscription holds its subscriber until it has ended.
            publisher(of: request).subscribe(OneBodySubscriber { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    func invalidate() async {
        session.finishTasksAndInvalidate()
    }

    private func publisher(of request: FetchRequest) -> some Publisher<FetchedBody, FetchFailure> {
        DownloadTaskPublisher(
            request: URLRequest(request, settings), to: URL(fileURLWithPath: request.destination), session: session
        )
        .tryMap { download in try Self.body(of: download, for: request) }
        .mapError { ($0 as? FetchFailure) ?? FetchFailure($0) }
    }

    private static func body(
        of download: DownloadTaskPublisher.Output, for request: FetchRequest
    ) throws(FetchFailure) -> FetchedBody {
        guard request.method == .get else {
            // The empty file of a header.
            unlink(download.file.path)
            try ResponseCheck.check(download.response, for: request, receivedByteCount: 0)
            return .nothing
        }
        try ResponseCheck.check(download.response, for: request, receivedByteCount: download.byteCount)
        return FetchedBody(content: .file(path: request.destination), byteCount: download.byteCount)
    }
}

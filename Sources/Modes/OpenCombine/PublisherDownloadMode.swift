// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineDownload
import TrialKit
import URLSessionModes

/// A publisher of download tasks, which OpenCombine lacks: the body in a file.
struct PublisherDownloadMode: FetchMode {
    let name = "publisher-download"
    let summary = "download-task publisher written for OpenCombine, own subscriber: to a file, moved to its place"
    let caveat: String? = "the temporary file of a task that fails is removed by nobody but the harness"
    let abilities = Set<ModeAbility>.ofSession.subtracting([.revalidation]).union([.file])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        PublisherDownloadFetcher(settings)
    }
}

private final class PublisherDownloadFetcher: Fetcher, SessionOwner {
    let session: URLSession
    private let settings: FetchSettings

    init(_ settings: FetchSettings) {
        session = .forTrial(settings)
        self.settings = settings
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        try SchemeCheck.check(request.url)
        return try await publisher(of: request).oneBody().get()
    }

    private func publisher(of request: FetchRequest) -> some Publisher<FetchedBody, FetchFailure> {
        session.downloadTaskPublisher(
            for: URLRequest(request, settings), to: URL(fileURLWithPath: request.destination)
        )
        .tryMap { download in try DownloadedBody.body(of: download, for: request) }
        .mapFailures()
    }
}

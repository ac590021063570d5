// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import FoundationNetworking

/// A download task with a completion handler: the body in a file, moved out of its temporary place.
struct DownloadMode: FetchMode {
    let name = "download"
    let summary = "URLSession download task, completion handler: to a file, moved to its place"
    let caveat: String? = "the temporary file of a task that fails is removed by nobody but the harness"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        DownloadFetcher(settings)
    }
}

private final class DownloadFetcher: Fetcher {
    private let session: URLSession

    init(_ settings: FetchSettings) {
        session = URLSession(configuration: .forTrial(settings))
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let result = await withCheckedContinuation { continuation in
            session.downloadTask(with: URLRequest(request)) { location, response, error in
                // The file has to be moved before the handler returns: afterwards it belongs to nobody.
                continuation.resume(returning: Self.result(location, response, error, for: request))
            }.resume()
        }
        return try result.get()
    }

    func invalidate() async {
        session.finishTasksAndInvalidate()
    }

    private static func result(
        _ location: URL?, _ response: URLResponse?, _ error: (any Error)?, for request: FetchRequest
    ) -> Result<FetchedBody, FetchFailure> {
        if let error { return .failure(FetchFailure(error)) }
        return Result { () throws(FetchFailure) in
            try ResponseBody.inFile(at: location, response, for: request)
        }
    }
}

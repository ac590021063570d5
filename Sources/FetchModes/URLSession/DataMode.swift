// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import FoundationNetworking

/// A data task with a completion handler: the whole body in memory.
struct DataMode: FetchMode {
    let name = "data"
    let summary = "URLSession data task, completion handler: the whole body as Data"
    let caveat: String? = "on Linux the body is held twice while it is handed over"
    let schemes: Set<String> = ["http", "https"]
    let yieldsBody = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        DataFetcher(settings)
    }
}

private final class DataFetcher: Fetcher {
    private let session: URLSession

    init(_ settings: FetchSettings) {
        session = URLSession(configuration: .forTrial(settings))
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let result = await withCheckedContinuation { continuation in
            session.dataTask(with: URLRequest(request)) { data, response, error in
                continuation.resume(returning: Self.result(data, response, error, for: request))
            }.resume()
        }
        return try result.get()
    }

    func invalidate() async {
        session.finishTasksAndInvalidate()
    }

    private static func result(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?, for request: FetchRequest
    ) -> Result<FetchedBody, FetchFailure> {
        if let error { return .failure(FetchFailure(error)) }
        return Result { () throws(FetchFailure) in
            try ResponseBody.inMemory(data ?? Data(), response, for: request)
        }
    }
}

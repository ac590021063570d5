// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import TrialKit
import URLSessionModes

struct PublisherDownloadMode: FetchMode {
    let name = "publisher-download"
    let summary = "download-task publisher written for OpenCombine, own subscriber: to a file, moved to its place"
    let caveat: String? = """
        the temporary file of a failed task is removed only by the harness; cancelled through its \
        AnyCancellable, which does not report when the task has ended
        """
    let abilities = Set<ModeAbility>.ofSession.subtracting([.revalidation]).union([.file, .cancellation])

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        AsyncFetcher(settings) { session, request in
            try await session.filePublisher(of: request, settings).mapFailures().oneBody(of: request)
        }
    }
}

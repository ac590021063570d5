// SPDX-License-Identifier: Apache-2.0

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

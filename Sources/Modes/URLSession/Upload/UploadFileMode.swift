// SPDX-License-Identifier: Apache-2.0

import TrialKit

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

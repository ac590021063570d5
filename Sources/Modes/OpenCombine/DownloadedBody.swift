// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import OpenCombineDownload
import TrialKit
import URLSessionModes

/// Converts the output of a download's publisher to a body.
enum DownloadedBody {
    /// Checks the status and the length.
    static func body(
        of download: DownloadTaskPublisher.Output, for request: FetchRequest
    ) throws(FetchFailure) -> FetchedBody {
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

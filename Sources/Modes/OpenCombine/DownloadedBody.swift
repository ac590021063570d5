// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import OpenCombineDownload
import TrialKit
import URLSessionModes

/// Makes a body of what the publisher of a download tells.
enum DownloadedBody {
    /// Checks the status and the length; a status that carries no asset throws.
    static func body(
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

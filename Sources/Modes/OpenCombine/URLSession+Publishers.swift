// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Glibc
import OpenCombine
import OpenCombineDownload
import OpenCombineFoundation
import TrialKit
import URLSessionModes

extension URLSession {
    /// Publishes the checked body of a request in memory, by a data task.
    func bodyPublisher(of request: FetchRequest, _ settings: FetchSettings) -> some Publisher<FetchedBody, any Error> {
        dataTaskPublisher(for: URLRequest(request, settings)).tryMap { data, response in
            try ResponseBody.inMemory(data, response, for: request)
        }
    }

    /// Publishes the checked body of a request in its file, by a download task.
    func filePublisher(of request: FetchRequest, _ settings: FetchSettings) -> some Publisher<FetchedBody, any Error> {
        downloadTaskPublisher(for: URLRequest(request, settings), to: URL(fileURLWithPath: request.destination))
            .tryMap { download in
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
}

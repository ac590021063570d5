// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import FoundationNetworking
import Glibc
package import TrialKit

/// Converts the result of a URLSession task to a body.
package enum ResponseBody {
    package static func inMemory(
        _ data: Data, _ response: URLResponse?, for request: FetchRequest
    ) throws(FetchFailure) -> FetchedBody {
        if ResponseCheck.isUnchanged(response, for: request) { return .unchanged }
        try ResponseCheck.check(response, for: request, receivedByteCount: data.count)
        var body = FetchedBody(content: .memory(data), byteCount: data.count)
        body.entityTag = ResponseCheck.entityTag(response, for: request)
        return body
    }

    /// Converts the arguments of a completion handler to a body in memory.
    package static func inMemory(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?, for request: FetchRequest
    ) -> Result<FetchedBody, FetchFailure> {
        if let error { return .failure(FetchFailure(error)) }
        return Result { () throws(FetchFailure) in try inMemory(data ?? Data(), response, for: request) }
    }

    /// Moves the file of a download task to its place; the temporary file is removed in every case.
    package static func inFile(
        at location: URL?, _ response: URLResponse?, for request: FetchRequest
    ) throws(FetchFailure) -> FetchedBody {
        guard let location else { throw FetchFailure(.file, "the task named no temporary file") }
        // URLSession does not remove it; a file that was moved is not there any more.
        defer { unlink(location.path) }
        guard request.method == .get else {
            try ResponseCheck.check(response, for: request, receivedByteCount: 0)
            return .nothing
        }
        if ResponseCheck.isUnchanged(response, for: request) { return .unchanged }
        let byteCount = try BodyFile.move(location.path, to: request.destination)
        try ResponseCheck.check(response, for: request, receivedByteCount: byteCount)
        var body = FetchedBody(content: .file(path: request.destination), byteCount: byteCount)
        body.entityTag = ResponseCheck.entityTag(response, for: request)
        return body
    }

    /// Converts the arguments of a completion handler to a body in a file; has to be called before the handler returns,
    /// because the temporary file has no owner afterwards.
    package static func inFile(
        at location: URL?, _ response: URLResponse?, _ error: (any Error)?, for request: FetchRequest
    ) -> Result<FetchedBody, FetchFailure> {
        if let error { return .failure(FetchFailure(error)) }
        return Result { () throws(FetchFailure) in try inFile(at: location, response, for: request) }
    }
}

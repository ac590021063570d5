// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import FoundationNetworking
import Glibc
package import TrialKit

/// Makes a body of what a task of URLSession hands over at its end.
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

    /// The body in memory, of the arguments of a completion handler.
    package static func inMemory(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?, for request: FetchRequest
    ) -> Result<FetchedBody, FetchFailure> {
        if let error { return .failure(FetchFailure(error)) }
        return Result { () throws(FetchFailure) in try inMemory(data ?? Data(), response, for: request) }
    }

    /// The body in the file of a download task, moved to its place; whatever happens, nothing stays where it was.
    package static func inFile(
        at location: URL?, _ response: URLResponse?, for request: FetchRequest
    ) throws(FetchFailure) -> FetchedBody {
        guard let location else { throw FetchFailure(.file, "the task named no temporary file") }
        // Nobody else removes it: of what was moved nothing is there any more.
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

    /// The body in its file, of the arguments of a completion handler: called before that returns, because afterwards
    /// the file belongs to nobody.
    package static func inFile(
        at location: URL?, _ response: URLResponse?, _ error: (any Error)?, for request: FetchRequest
    ) -> Result<FetchedBody, FetchFailure> {
        if let error { return .failure(FetchFailure(error)) }
        return Result { () throws(FetchFailure) in try inFile(at: location, response, for: request) }
    }
}

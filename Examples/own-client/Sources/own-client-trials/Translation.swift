// SPDX-License-Identifier: Apache-2.0

import TinyHTTP
import TrialKit

extension FetchRequest {
    /// Where a request goes.
    func place() throws(FetchFailure) -> (host: String, port: Int) {
        try SchemeCheck.check(url)
        guard let host = url.host else { throw FetchFailure(.other, "the URL names no host") }
        return (host, url.port ?? 80)
    }
}

extension FetchFailure {
    /// Does what the client does, and tells its errors in the words of a trial: without paths and URLs.
    static func translating<Value>(_ work: () throws -> Value) throws(FetchFailure) -> Value {
        do {
            return try work()
        } catch let failure as FetchFailure {
            throw failure
        } catch TinyError.noConnection(let number) {
            throw FetchFailure(errno: number, "no connection")
        } catch TinyError.lost(let number) {
            throw FetchFailure(errno: number, "the connection was lost")
        } catch TinyError.truncated {
            throw FetchFailure(.truncatedBody, "the body is shorter than its header promised")
        } catch {
            throw FetchFailure(.malformedResponse, "\(error)")
        }
    }
}

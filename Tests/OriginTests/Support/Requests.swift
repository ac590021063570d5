// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import Origin
import Runs
import Testing

extension OriginRequest {
    /// A request as it would arrive.
    static func make(
        _ target: String, method: HTTPMethod = .GET, version: HTTPVersion = .http1_1, headers: HTTPHeaders = [:]
    ) throws -> OriginRequest {
        try #require(OriginRequest(HTTPRequestHead(version: version, method: method, uri: target, headers: headers)))
    }
}

extension Answer {
    /// The answer to a request, at 60 MiB a second, without an image.
    static func make(_ request: OriginRequest, _ ledger: Ledger = Ledger()) -> Answer {
        do throws(Refusal) {
            return Answer(to: request, try Route(request), standard: .standard, stored: nil, ledger: ledger)
        } catch {
            return .refusal(error)
        }
    }

    /// The plan of an answer in HTTP.
    var plan: ResponsePlan? {
        guard case .response(let plan) = self else { return nil }
        return plan
    }
}

extension ResponsePlan {
    /// The bytes of the body.
    func bytes() throws -> [UInt8] {
        guard let content else { return [] }
        var bytes = [UInt8](repeating: 0, count: content.range.count)
        try bytes.withUnsafeMutableBytes { try content.source.read(into: $0, at: content.range.lowerBound) }
        return bytes
    }
}

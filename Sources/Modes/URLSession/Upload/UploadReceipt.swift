// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TrialKit

struct UploadReceipt: Decodable {
    let bytes: Int
    let sha256: String

    static func read(_ data: Data?, _ response: URLResponse?) throws(FetchFailure) -> UploadReceipt {
        guard let response = response as? HTTPURLResponse else {
            throw FetchFailure(.malformedResponse, "no HTTP response arrived")
        }
        try StatusCheck.check(response.statusCode)
        do {
            return try JSONDecoder().decode(UploadReceipt.self, from: data ?? Data())
        } catch {
            throw FetchFailure(.malformedResponse, "the sink did not report the uploaded bytes")
        }
    }
}

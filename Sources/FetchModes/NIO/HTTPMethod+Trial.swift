// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import NIOHTTP1

extension HTTPMethod {
    /// The method of a trial's request.
    init(_ method: FetchRequest.Method) {
        switch method {
        case .get: self = .GET
        case .head: self = .HEAD
        }
    }
}

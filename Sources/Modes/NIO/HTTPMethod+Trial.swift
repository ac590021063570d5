// SPDX-License-Identifier: Apache-2.0

package import NIOHTTP1
package import TrialKit

extension HTTPMethod {
    /// The method of a trial's request.
    package init(_ method: FetchRequest.Method) {
        switch method {
        case .get: self = .GET
        case .head: self = .HEAD
        }
    }
}
